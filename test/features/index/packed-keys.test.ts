import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import { findFingerprints } from '../../../src/features/index/feature-index.js';
import { PackedIndex } from '../../../src/features/index/packed-index.js';
import { keyOrder, packKeys, unpackKeys } from '../../../src/features/index/packed-keys.js';
import { LinearMemory } from '../../../src/kernels/memory/linear-memory.js';
import { VarIntWriter } from '../../../src/models/files/compact/shared-rows.js';
import { drawPart, isNightly } from '../../house/share/nightly.js';
import { type Packed, packedEntries } from './packed-entries.js';

/** Different fingerprints, many of them with the same bucket or upper word. */
function fingerprints(count: number, seed = 1): Uint32Array {
  const random = new Random(seed);
  const all = new Map<string, [number, number]>();
  while (all.size < count) {
    const isNear = all.size % 5 === 0;
    const lo = isNear ? random.next() & 0xff : random.next() >>> 0;
    const hi = !isNear && all.size % 7 === 0 ? random.next() & 0x7f : random.next() >>> 0;
    if (lo !== 0 || hi !== 0) all.set(`${lo} ${hi}`, [lo >>> 0, hi >>> 0]);
  }
  return Uint32Array.from([...all.values()].flat());
}

function ordered(keys: Uint32Array): Uint32Array {
  return Uint32Array.from([...keyOrder(keys)].flatMap(i => [keys[2 * i]!, keys[2 * i + 1]!]));
}

function numbersOf(rows: Iterable<number>): Uint8Array {
  const numbers = new VarIntWriter();
  for (const row of rows) numbers.write(row);
  return numbers.take();
}

const sizes = [0, 1, 2, 1000, 49_153, ...(isNightly ? [49_152, 120_000] : [])];

describe.each(sizes)('%i packed fingerprints', count => {
  const keys = ordered(fingerprints(count));
  const packed = packKeys(keys);

  it('are unpacked in their order, whichever they had before', () => {
    expect(unpackKeys(packed)).toEqual(keys);
    expect(ordered(keys)).toEqual(keys);
    const turned = Uint32Array.from(
      Array.from({ length: count }, (_, i) => [
        keys[2 * (count - 1 - i)]!,
        keys[2 * (count - 1 - i) + 1]!,
      ]).flat(),
    );
    expect(ordered(turned)).toEqual(keys);
  });

  it('take six bytes each, and a bit for each of them and each bucket', () => {
    const { buckets, highs, rests } = packed;
    const bytes = buckets.byteLength + highs.byteLength + rests.byteLength;
    expect(bytes).toBe(6 * count + Math.ceil((count + 2 ** 16) / 8));
  });

  it('are found in an index with their rows, and others are not', () => {
    const rows = 300;
    const rowOf = (i: number) => (i * i) % rows;
    const numbers = numbersOf(Array.from({ length: count }, (_, i) => rowOf(i)));
    const index = PackedIndex.of(
      packedEntries({ keys: packed, numbers, rows }),
      new LinearMemory(),
    )!;
    expect(index.size).toBe(rows);
    const found = findFingerprints(index, keys);
    expect(found).toEqual(Int32Array.from({ length: count }, (_, i) => rowOf(i)));
    const known = new Set(
      Array.from({ length: count }, (_, i) => `${keys[2 * i]} ${keys[2 * i + 1]}`),
    );
    const others = fingerprints(500, 9);
    const strangers = findFingerprints(index, others);
    for (let i = 0; i < 500; i += 1) {
      if (!known.has(`${others[2 * i]} ${others[2 * i + 1]}`)) expect(strangers[i]).toBe(-1);
    }
  });
});

// It takes as long as all others together.
describe.runIf(drawPart(6) === 0)(
  'packed fingerprints of a table whose buckets are divided',
  () => {
    it('are found with their rows, and others are not', () => {
      const count = 800_000;
      const random = new Random(5);
      const all = new Uint32Array(2 * count);
      // Low halves all differ; a third of the upper halves is common to many.
      for (let i = 0; i < count; i += 1) {
        all[2 * i] = Math.imul(i, 0x9e3779b1) >>> 0;
        all[2 * i + 1] = i % 3 === 0 ? 7 : random.next() >>> 0;
      }
      const keys = ordered(all);
      const packed = packKeys(keys);
      expect(packed.bits).toBe(21);
      const numbers = numbersOf(Array.from({ length: count }, (_, i) => i));
      const index = PackedIndex.of(
        packedEntries({ keys: packed, numbers, rows: count }),
        new LinearMemory(),
      )!;
      const isRight = (rows: Int32Array, rowOf: (i: number) => number) =>
        rows.every((row, i) => row === rowOf(i));
      expect(isRight(findFingerprints(index, keys), i => i)).toBe(true);
      const others = keys.map((word, i) => (i % 2 === 0 ? word : word ^ 0x80000000));
      expect(isRight(findFingerprints(index, others), () => -1)).toBe(true);
    });
  },
);

describe('packed fingerprints that are damaged', () => {
  const keys = ordered(fingerprints(400));
  const packed = packKeys(keys);
  const numbers = numbersOf(Array.from({ length: 400 }, (_, i) => i));
  const index = (other: Partial<Packed>) =>
    PackedIndex.of(
      packedEntries({ keys: packed, numbers, rows: 400, ...other }),
      new LinearMemory(),
    );

  it('are refused where parts do not fit together', () => {
    for (const other of [
      { ...packed, bits: 15 },
      { ...packed, bits: 29 },
      { ...packed, rests: packed.rests.slice(1) },
      { ...packed, highs: packed.highs.slice(1) },
      { ...packed, buckets: packed.buckets.slice(1) },
    ]) {
      expect(unpackKeys(other)).toBeUndefined();
      expect(index({ keys: other })).toBeUndefined();
    }
  });

  it('are refused in another order, and where one comes twice or is 0', () => {
    const swapped = packKeys(
      Uint32Array.of(...keys.subarray(2, 4), ...keys.subarray(0, 2), ...keys.subarray(4)),
    );
    const twice = packKeys(Uint32Array.of(...keys.subarray(0, 2), ...keys.subarray(0, 798)));
    const none = packKeys(Uint32Array.of(0, 0, ...keys.subarray(2)));
    for (const other of [twice, none]) {
      expect(unpackKeys(other)).toBeUndefined();
      expect(index({ keys: other })).toBeUndefined();
    }
    // Those of two buckets come out as others; within a bucket the order is seen.
    expect(unpackKeys(swapped)).not.toEqual(keys);
  });

  it('are refused where an entry cannot tell two of them apart', () => {
    // The second is where the third would be, of which its place alone tells it apart.
    const near = Uint32Array.of(0x10, 0x7f, 0x11, 0x80, 0x10, 0x80);
    const close = packKeys(near);
    expect(unpackKeys(close)).toEqual(near);
    const three = { numbers: numbersOf([0, 1, 2]), rows: 3 };
    expect(index({ keys: close, ...three })).toBeUndefined();
    // What it holds of this one is 0, as of none.
    const small = packKeys(Uint32Array.of(5, 0));
    expect(index({ keys: small, numbers: numbersOf([0]), rows: 1 })).toBeUndefined();
    const far = packKeys(Uint32Array.of(0x10, 0x7f, 0x11, 0x80, 0x110, 0x80));
    expect(index({ keys: far, ...three })).toBeDefined();
  });

  it('are refused with rows that there are not, too few or too many', () => {
    expect(index({})).toBeDefined();
    expect(index({ rows: 399 })).toBeUndefined();
    expect(index({ rows: 2 ** 16 })).toBeUndefined();
    expect(index({ rows: 2 ** 16 - 1 })).toBeDefined();
    expect(index({ numbers: numbers.slice(1) })).toBeUndefined();
    expect(index({ numbers: Uint8Array.of(...numbers, 0) })).toBeUndefined();
    expect(index({ numbers: new Uint8Array(numbers.length).fill(0x80) })).toBeUndefined();
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
      const at = random.below(part.length);
      part[at]! ^= 1 << (random.next() & 7);
      const read = unpackKeys(other);
      const placed = index({ keys: other });
      expect(placed === undefined).toBe(read === undefined);
      if (read === undefined) refused += 1;
      else
        expect(findFingerprints(placed!, read)).toEqual(
          Int32Array.from({ length: 400 }, (_, row) => row),
        );
    }
    expect(refused).toBeGreaterThan(cases / 5);
  });
});
