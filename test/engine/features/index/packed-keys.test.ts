import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { findFingerprints } from '../../../../src/engine/features/index/feature-index.js';
import { PackedIndex } from '../../../../src/engine/features/index/packed-index.js';
import {
  type Directory,
  directoryBits,
  keyOrder,
  packKeys,
  unpackKeys,
  unpackOlder,
} from '../../../../src/engine/features/index/packed-keys.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { writtenNumbers } from '../../../../src/engine/models/files/compact/shared-rows.js';
import { isNightly } from '../../../house/long-forms.js';
import { keysAt, olderEntries, packedEntries, packOlder } from './packed-entries.js';

/** Different fingerprints, many with the same upper word, or with nearly the same other word as the one before. */
function fingerprints(count: number, seed = 1): Uint32Array {
  const random = new Random(seed);
  const all = new Map<string, [number, number]>();
  let last = 0;
  while (all.size < count) {
    const hi = all.size % 7 === 0 ? random.next() & 0x7f : random.next() >>> 0;
    const word = all.size % 3 === 0 ? last ^ (1 << random.below(32)) : random.next();
    const lo = (word ^ (hi >>> 7)) >>> 0;
    if (lo !== 0 || hi !== 0) all.set(`${lo} ${hi}`, [lo, hi]);
    last = word;
  }
  return Uint32Array.from([...all.values()].flat());
}

function ordered(keys: Uint32Array): Uint32Array {
  return keysAt(keys, keyOrder(keys));
}

function isAbsent(keys: Uint32Array, others: Uint32Array): (i: number) => boolean {
  const known = new Set<string>();
  for (let i = 0; i < keys.length; i += 2) known.add(`${keys[i]} ${keys[i + 1]}`);
  return i => !known.has(`${others[2 * i]} ${others[2 * i + 1]}`);
}

const sizes = [0, 1, 2, 3, 1000, 49_153, ...(isNightly ? [49_152, 70_000, 120_000] : [])];

describe.each(sizes)('%i packed fingerprints', count => {
  const given = fingerprints(count);
  const keys = ordered(given);
  const rows = Math.min(300, count);
  const rowOf = Uint32Array.from({ length: count }, (_, i) => (i * i) % rows);
  const packed = packKeys(keys, rowOf, rows)!;
  const older = packOlder(given, rowOf);

  it('are unpacked in their order, whichever they had before', () => {
    expect(unpackKeys(packed, rows)).toEqual({ keys, rowOf });
    expect(ordered(keys)).toEqual(keys);
    expect(ordered(older.keys)).toEqual(keys);
    expect(unpackOlder(older.packed)).toEqual(older.keys);
  });

  it('take eight bytes each, and one to two for the directory', () => {
    expect(packed.entries.byteLength).toBe(8 * count);
    const { byteLength } = packed.directory;
    if (count > 600) {
      expect(byteLength).toBeGreaterThan(count);
      expect(byteLength).toBeLessThanOrEqual(2 * count);
    } else {
      expect(byteLength).toBeLessThanOrEqual(Math.max(8, 4 * count));
    }
  });

  it.each([
    ['as they are stored', () => packedEntries(packed, rows), keys, rowOf],
    [
      'from an older file',
      () => olderEntries(older.packed, older.numbers, rows),
      older.keys,
      older.rowOf,
    ],
  ])('are found in an index with their rows, and others are not: %s', (_, entries, own, wanted) => {
    const index = PackedIndex.of(entries(), new LinearMemory())!;
    expect(index.size).toBe(rows);
    expect(findFingerprints(index, own)).toEqual(Int32Array.from(wanted));
    const others = Uint32Array.of(...fingerprints(500, 9), 0, 0, ...given.slice(0, 2000)).map(
      (word, i) => (i > 1001 && i % 2 === 1 ? word ^ 1 : word),
    );
    const absent = isAbsent(keys, others);
    const found = findFingerprints(index, others);
    for (let i = 0; i < found.length; i += 1) if (absent(i)) expect(found[i]).toBe(-1);
  });
});

// It takes as long as all others together.
describe('very many packed fingerprints', { tags: 'slow' }, () => {
  it('are found with their rows, and others are not', () => {
    const count = 800_000;
    const random = new Random(5);
    const all = new Uint32Array(2 * count);
    // Low halves all differ; a third of the upper halves is common to many.
    for (let i = 0; i < count; i += 1) {
      all[2 * i] = Math.imul(i, 0x9e3779b1) >>> 0;
      all[2 * i + 1] = i % 3 === 0 ? 7 : random.next() >>> 0;
    }
    const rowOf = Uint32Array.from({ length: count }, (_, i) => i);
    const isRight = (found: Int32Array, wanted: (i: number) => number) =>
      found.every((row, i) => row === wanted(i));
    const keys = ordered(all);
    const older = packOlder(all, rowOf);
    expect(older.packed.bits).toBe(21);
    for (const [entries, own, rows] of [
      [packedEntries(packKeys(keys, rowOf, count)!, count), keys, rowOf],
      [olderEntries(older.packed, older.numbers, count), older.keys, older.rowOf],
    ] as const) {
      const index = PackedIndex.of(entries, new LinearMemory())!;
      expect(isRight(findFingerprints(index, own), i => rows[i]!)).toBe(true);
      const others = own.map((word, i) => (i % 2 === 0 ? word : word ^ 0x80000000));
      expect(isRight(findFingerprints(index, others), () => -1)).toBe(true);
    }
  });
});

describe('fingerprints that share a bucket', () => {
  /** Fingerprints of one bucket of the smallest directory, and some of others. */
  const crowd = (own: number, others = 0) =>
    ordered(
      Uint32Array.from([
        ...Array.from({ length: own }, (_, i) => [0x80000000 + i, 0]).flat(),
        ...Array.from({ length: others }, (_, i) => [0xf0000000 + i, 0]).flat(),
      ]),
    );
  const packedOf = (keys: Uint32Array) => {
    const rowOf = Uint32Array.from({ length: keys.length / 2 }, (_, i) => i % 3);
    return { rowOf, packed: packKeys(keys, rowOf, 3) };
  };

  it('are found up to 31, and refused beyond', () => {
    for (const keys of [crowd(31), crowd(31, 31)]) {
      const { packed, rowOf } = packedOf(keys);
      expect(unpackKeys(packed!, 3)).toEqual({ keys, rowOf });
      const index = PackedIndex.of(packedEntries(packed!, 3), new LinearMemory())!;
      expect(findFingerprints(index, keys)).toEqual(Int32Array.from(rowOf));
    }
    expect(packedOf(crowd(32)).packed).toBeUndefined();
    const { keys, packed, rowOf } = packOlder(crowd(600), new Uint32Array(600));
    const older = olderEntries(packed, writtenNumbers(rowOf), 1);
    expect(unpackOlder(packed)).toEqual(keys);
    expect(PackedIndex.of(older, new LinearMemory())).toBeUndefined();
  });

  it('come in the order of descending rows', () => {
    const { packed } = packedOf(crowd(4));
    const rows = [...packed!.entries].filter((_, i) => i % 2 === 0).map(word => (word & 3) - 1);
    expect(rows).toEqual([2, 1, 0, 0]);
  });
});

describe('packed fingerprints that are damaged', () => {
  const count = 400;
  const keys = ordered(fingerprints(count));
  const rowOf = Uint32Array.from({ length: count }, (_, i) => i);
  const packed = packKeys(keys, rowOf, count)!;
  const index = (other: Directory, rows = count) =>
    PackedIndex.of(packedEntries(other, rows), new LinearMemory());

  it('are refused where parts do not fit together', () => {
    for (const other of [
      { ...packed, bits: 1 },
      { ...packed, bits: 28 },
      { ...packed, bits: packed.bits + 1 },
      { ...packed, entries: packed.entries.slice(2) },
      { ...packed, entries: packed.entries.slice(1) },
      { ...packed, entries: Uint32Array.of(...packed.entries, 1, 1) },
      { ...packed, directory: packed.directory.slice(4) },
    ]) {
      expect(unpackKeys(other, count)).toBeUndefined();
      expect(index(other)).toBeUndefined();
    }
  });

  it('are not packed in another order', () => {
    const turned = Uint32Array.of(
      ...keys.subarray(2, 4),
      ...keys.subarray(0, 2),
      ...keys.subarray(4),
    );
    const twice = Uint32Array.of(...keys.subarray(0, 2), ...keys.subarray(0, 2 * count - 2));
    for (const other of [turned, twice]) expect(packKeys(other, rowOf, count)).toBeUndefined();
  });

  it('are refused where one is 0', () => {
    const none = packKeys(Uint32Array.of(0, 0, 0xffffffff, 5), Uint32Array.of(0, 1), 2)!;
    expect(unpackKeys(none, 2)).toBeUndefined();
    expect(index(none, 2)).toBeUndefined();
  });

  it('are refused with rows that there are not', () => {
    expect(index(packed)).toBeDefined();
    expect(index(packed, count - 1)).toBeUndefined();
    expect(unpackKeys(packed, count - 1)).toBeUndefined();
    expect(index(packed, 2 ** packed.bits - 1)).toBeDefined();
    expect(index(packed, 2 ** packed.bits)).toBeUndefined();
    const entries = packed.entries.slice();
    entries[0]! &= -(2 ** packed.bits);
    expect(index({ ...packed, entries })).toBeUndefined();
    expect(unpackKeys({ ...packed, entries }, count)).toBeUndefined();
  });

  it('are refused whatever bits are turned, or give rows that there are', () => {
    const random = new Random(3);
    const refused = { whole: 0, tagging: 0 };
    const cases = isNightly ? 2000 : 300;
    for (let i = 0; i < cases; i += 1) {
      const other = {
        bits: packed.bits,
        entries: packed.entries.slice(),
        directory: packed.directory.slice(),
      };
      const part = [other.entries, other.directory][i % 2]!;
      part[random.below(part.length)]! ^= 1 << random.below(i % 2 === 0 ? 32 : 16);
      const read = unpackKeys(other, count);
      const placed = index(other);
      if (read === undefined) refused.whole += 1;
      if (placed === undefined) {
        expect(read).toBeUndefined();
        refused.tagging += 1;
        continue;
      }
      const found = findFingerprints(placed, read?.keys ?? keys);
      if (read !== undefined) expect(found).toEqual(Int32Array.from(read.rowOf));
      expect(found.every(row => row >= -1 && row < count)).toBe(true);
    }
    expect(refused.whole).toBeGreaterThan(cases / 2);
    expect(refused.tagging).toBeGreaterThan(cases / 8);
  });
});

describe('packed fingerprints of an older file that are damaged', () => {
  const count = 400;
  const rowOf = Uint32Array.from({ length: count }, (_, i) => i);
  const { packed, rowOf: wanted, numbers } = packOlder(fingerprints(count), rowOf);
  const index = (other = packed, given = numbers, rows = count) =>
    PackedIndex.of(olderEntries(other, given, rows), new LinearMemory());

  it('are refused where parts do not fit together', () => {
    for (const other of [
      { ...packed, bits: 15 },
      { ...packed, bits: 29 },
      { ...packed, rests: packed.rests.slice(1) },
      { ...packed, highs: packed.highs.slice(1) },
      { ...packed, buckets: packed.buckets.slice(1) },
    ]) {
      expect(unpackOlder(other)).toBeUndefined();
      expect(index(other)).toBeUndefined();
    }
    const none = packOlder(Uint32Array.of(0, 0), Uint32Array.of(0)).packed;
    expect(unpackOlder(none)).toBeUndefined();
    expect(index(none, Uint8Array.of(0), 1)).toBeUndefined();
  });

  it('are refused with rows that there are not, too few or too many', () => {
    expect(index()).toBeDefined();
    expect(index(packed, numbers, count - 1)).toBeUndefined();
    expect(index(packed, numbers.slice(1))).toBeUndefined();
    expect(index(packed, Uint8Array.of(...numbers, 0))).toBeUndefined();
    expect(index(packed, new Uint8Array(numbers.length).fill(0x80))).toBeUndefined();
  });

  it('are read the same by the kernel and without it, whatever bits are turned', () => {
    const random = new Random(3);
    let refused = 0;
    const cases = isNightly ? 2000 : 300;
    for (let i = 0; i < cases; i += 1) {
      const other = {
        bits: packed.bits,
        buckets: packed.buckets.slice(),
        highs: packed.highs.slice(),
        rests: packed.rests.slice(),
      };
      const part = [other.buckets, other.highs, other.rests][i % 3]!;
      part[random.below(part.length)]! ^= 1 << (random.next() & 7);
      const read = unpackOlder(other);
      const placed = index(other);
      expect(placed === undefined).toBe(read === undefined);
      if (read === undefined) refused += 1;
      else expect(findFingerprints(placed!, read)).toEqual(Int32Array.from(wanted));
    }
    expect(refused).toBeGreaterThan(cases / 5);
  });
});

describe('directoryBits', () => {
  it('makes room for all rows, and gives no directory to too many', () => {
    expect(directoryBits(0, 0)).toBe(2);
    expect(directoryBits(2 ** 10, 1)).toBe(10);
    expect(directoryBits(2 ** 10, 2 ** 10 - 1)).toBe(10);
    expect(directoryBits(2 ** 10, 2 ** 10)).toBe(11);
    expect(directoryBits(2 ** 28, 1)).toBeUndefined();
  });
});
