import { mostIndexEntries } from './index-table.js';

/** Number of buckets into which a table's places are divided in order, as a power of two. */
const bucketBits = 16;
const buckets = 2 ** bucketBits;

/**
 * Maximum number of places of a table, as a power of two: entries take 16 bytes of a 4 GiB memory.
 */
export const mostTableBits = 28;
export const leastTableBits = bucketBits;

/**
 * Distinct fingerprints in the order of a table with `2 ** bits` places. Bits implied by the order
 * are omitted, so that a fingerprint takes little more than six bytes. Filling a table takes one
 * pass.
 *
 * A fingerprint's place consists of the low bits of `lo ^ hi >>> 7`, as in the kernel, and its
 * bucket of the upper 16 bits of the place.
 */
export interface PackedKeys {
  /** Number of places of the table, as a power of two. */
  readonly bits: number;
  /**
   * Bucket sizes: a 1 bit for each fingerprint of a bucket and a 0 bit after the bucket, low bits
   * first.
   */
  readonly buckets: Uint8Array;
  /** Upper word of each fingerprint. */
  readonly highs: Uint32Array;
  /** Bits of `lo ^ hi >>> 7` that the bucket does not determine. */
  readonly rests: Uint16Array;
}

/** Returns the table size, as a power of two, for a number of fingerprints. */
function tableBits(count: number): number {
  let bits = leastTableBits;
  while (mostIndexEntries(2 ** bits) < count) bits += 1;
  return bits;
}

/**
 * Returns the order of fingerprints for `packKeys`: by bucket, rest and upper word. Cost O(n).
 *
 * @param keys distinct fingerprints, alternating lo and hi
 * @returns indices of the fingerprints
 * @example
 * keyOrder(Uint32Array.of(0x30000, 0, 0x10001, 0, 0x10000, 0)) // => Uint32Array.of(2, 0, 1)
 */
export function keyOrder(keys: Uint32Array): Uint32Array {
  const count = keys.length / 2;
  const bits = tableBits(count);
  const bucketOf = (i: number) => upperOf(mixed(keys[2 * i]!, keys[2 * i + 1]!), bits);
  const restAt = (i: number) => restOf(mixed(keys[2 * i]!, keys[2 * i + 1]!), bits);
  const starts = new Uint32Array(buckets + 1);
  for (let i = 0; i < count; i += 1) starts[bucketOf(i) + 1]! += 1;
  for (let bucket = 0; bucket < buckets; bucket += 1) starts[bucket + 1]! += starts[bucket]!;
  const order = new Uint32Array(count);
  const next = starts.slice();
  for (let i = 0; i < count; i += 1) {
    const bucket = bucketOf(i);
    order[next[bucket]!] = i;
    next[bucket]! += 1;
  }
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const start = starts[bucket]!;
    const end = starts[bucket + 1]!;
    if (end - start < 2) continue;
    order
      .subarray(start, end)
      .sort((a, b) => restAt(a) - restAt(b) || keys[2 * a + 1]! - keys[2 * b + 1]!);
  }
  return order;
}

/** Packs fingerprints in the order of `keyOrder`. */
export function packKeys(keys: Uint32Array): PackedKeys {
  const count = keys.length / 2;
  const bits = tableBits(count);
  const highs = new Uint32Array(count);
  const rests = new Uint16Array(count);
  const marks = new Uint8Array(markBytes(count));
  let at = 0;
  let bucket = 0;
  for (let i = 0; i < count; i += 1) {
    const word = mixed(keys[2 * i]!, keys[2 * i + 1]!);
    const own = upperOf(word, bits);
    at += own - bucket;
    bucket = own;
    marks[at >>> 3]! |= 1 << (at & 7);
    at += 1;
    highs[i] = keys[2 * i + 1]!;
    rests[i] = restOf(word, bits);
  }
  return { bits, buckets: marks, highs, rests };
}

/**
 * Returns the fingerprints, alternating lo and hi; undefined if they are incomplete or in another
 * order, or if one of them is repeated or 0, which represents none.
 */
export function unpackKeys(packed: PackedKeys): Uint32Array | undefined {
  const { bits, buckets: marks, highs, rests } = packed;
  const lengths = { buckets: marks.length, highs: highs.length, rests: rests.length };
  if (!fitTogether(bits, lengths)) return undefined;
  const count = highs.length;
  const keys = new Uint32Array(2 * count);
  const inBucket = bits - bucketBits;
  let bucket = 0;
  let next = 0;
  let isFirst = true;
  for (let at = 0; at < 8 * marks.length; at += 1) {
    if ((marks[at >>> 3]! & (1 << (at & 7))) === 0) {
      bucket += 1;
      isFirst = true;
      continue;
    }
    if (bucket >= buckets || next >= count) return undefined;
    const rest = rests[next]!;
    const high = highs[next]!;
    if (
      !isFirst &&
      (rest < rests[next - 1]! || (rest === rests[next - 1]! && high <= highs[next - 1]!))
    )
      return undefined;
    isFirst = false;
    const word =
      ((rest >>> inBucket) << bits) | (bucket << inBucket) | (rest & (2 ** inBucket - 1));
    const low = (word ^ (high >>> 7)) >>> 0;
    if (low === 0 && high === 0) return undefined;
    keys[2 * next] = low;
    keys[2 * next + 1] = high;
    next += 1;
  }
  return next === count ? keys : undefined;
}

/** Returns whether the lengths of packed fingerprints are consistent. */
export function fitTogether(
  bits: number,
  { buckets: marks, highs, rests }: Readonly<Record<'buckets' | 'highs' | 'rests', number>>,
): boolean {
  return (
    bits >= leastTableBits && bits <= mostTableBits && rests === highs && marks === markBytes(highs)
  );
}

/** Returns the number of bytes with a bit for each fingerprint and each bucket. */
function markBytes(count: number): number {
  return Math.ceil((count + buckets) / 8);
}

/** Returns the mixed word that determines a fingerprint's place. */
function mixed(lo: number, hi: number): number {
  return (lo ^ (hi >>> 7)) >>> 0;
}

function upperOf(word: number, bits: number): number {
  return (word & (2 ** bits - 1)) >>> (bits - bucketBits);
}

function restOf(word: number, bits: number): number {
  const inBucket = bits - bucketBits;
  return ((word >>> bits) << inBucket) | (word & (2 ** inBucket - 1));
}
