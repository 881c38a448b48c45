import type { PackedEntries } from '../../../../src/engine/features/index/packed-index.js';
import type { Directory, OlderKeys } from '../../../../src/engine/features/index/packed-keys.js';
import { writtenNumbers } from '../../../../src/engine/models/files/compact/shared-rows.js';

/** Fingerprints with their rows, as they are given to `PackedIndex`. */
export function packedEntries(
  { bits: directory, entries, directory: numbers }: Directory,
  rows: number,
): PackedEntries {
  const count = Math.floor(entries.length / 2);
  return { directory, bits: undefined, count, rows, ...reading({ entries, directory: numbers }) };
}

/** The same in the form of older files. */
export function olderEntries(
  { bits, ...keys }: OlderKeys,
  numbers: Uint8Array,
  rows: number,
): PackedEntries {
  const count = keys.highs.length;
  return { directory: undefined, bits, count, rows, ...reading({ ...keys, numbers }) };
}

function reading(
  parts: Readonly<Record<string, Uint8Array | Uint16Array | Uint32Array>>,
): Pick<PackedEntries, 'lengthOf' | 'open'> {
  return {
    lengthOf: part => parts[part]!.length,
    open(part) {
      const { buffer, byteOffset, byteLength } = parts[part]!;
      const bytes = new Uint8Array(buffer, byteOffset, byteLength);
      let at = 0;
      return into => {
        into.set(bytes.subarray(at, at + into.length));
        at += into.length;
      };
    },
  };
}

/** Fingerprints and their rows as a file of format version 8 has them, in its order. */
export interface Older {
  readonly packed: OlderKeys;
  /** The fingerprints in this order, lo and hi in turn. */
  readonly keys: Uint32Array;
  readonly rowOf: Uint32Array;
  readonly numbers: Uint8Array;
}

/** Writes fingerprints as format version 8 did. */
export function packOlder(given: Uint32Array, givenRows: Uint32Array): Older {
  const count = givenRows.length;
  let bits = 16;
  while (2 ** bits * 0.75 < count) bits += 1;
  const inBucket = bits - 16;
  const wordAt = (i: number) => (given[2 * i]! ^ (given[2 * i + 1]! >>> 7)) >>> 0;
  const bucketAt = (i: number) => (wordAt(i) & (2 ** bits - 1)) >>> inBucket;
  const restAt = (i: number) =>
    ((wordAt(i) >>> bits) << inBucket) | (wordAt(i) & (2 ** inBucket - 1));
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) =>
      bucketAt(a) - bucketAt(b) || restAt(a) - restAt(b) || given[2 * a + 1]! - given[2 * b + 1]!,
  );
  const buckets = new Uint8Array(Math.ceil((count + 2 ** 16) / 8));
  for (const [next, i] of order.entries()) {
    const at = next + bucketAt(i);
    buckets[at >>> 3]! |= 1 << (at & 7);
  }
  const rowOf = order.map(i => givenRows[i]!);
  return {
    packed: {
      ...{ bits, buckets },
      highs: order.map(i => given[2 * i + 1]!),
      rests: Uint16Array.from(order, restAt),
    },
    keys: keysAt(given, order),
    ...{ rowOf, numbers: writtenNumbers(rowOf) },
  };
}

/** Returns fingerprints in another order. */
export function keysAt(keys: Uint32Array, order: Uint32Array): Uint32Array {
  const ordered = new Uint32Array(keys.length);
  for (const [to, from] of order.entries()) {
    ordered.set(keys.subarray(2 * from, 2 * from + 2), 2 * to);
  }
  return ordered;
}
