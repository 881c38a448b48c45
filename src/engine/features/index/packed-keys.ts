/**
 * Parts of stored fingerprints with their rows: `entries` and `directory`, or in older files
 * `buckets`, `highs` and `rests`, and `numbers` with the row of each as a varint (LEB128).
 */
export type PackedPart = 'entries' | 'directory' | 'buckets' | 'highs' | 'rests' | 'numbers';

/**
 * Distinct fingerprints with their rows, in the form in which they are looked up. The upper `bits`
 * bits of a fingerprint's **word** `lo ^ hi >>> 7` are the number of its bucket. Entries are in the
 * order of their buckets, and within a bucket by descending row, because a frequent feature rarely
 * shares its weights, and most lookups then end at the first entry.
 */
export interface Directory {
  /** Base-2 logarithm of the number of buckets. */
  readonly bits: number;
  /**
   * Two words for each fingerprint: the other bits of its word, followed by its row + 1 in `bits` bits;
   * and `hi`.
   */
  readonly entries: Uint32Array;
  /**
   * A number for each bucket: its number of entries, at most 31, above 11 marks. Each entry sets the
   * mark `(hi & 0xffff) * 11 >>> 16`, by which most absent fingerprints are rejected.
   */
  readonly directory: Uint16Array;
}

export const leastDirectoryBits = 2;
export const mostDirectoryBits = 27;

const marks = 11;
const mostInBucket = 31;

/**
 * Returns the base-2 logarithm of the number of buckets for a number of fingerprints, which gives
 * each bucket one to two on average if their rows fit; undefined if there are too many.
 */
export function directoryBits(count: number, rows: number): number | undefined {
  const bits = Math.max(
    leastDirectoryBits,
    Math.floor(Math.log2(Math.max(1, count))),
    Math.ceil(Math.log2(rows + 1)),
  );
  return bits <= mostDirectoryBits ? bits : undefined;
}

/** Returns whether a directory's entries have room for the rows. */
export function hasRoom(bits: number, rows: number): boolean {
  return bits >= leastDirectoryBits && bits <= mostDirectoryBits && rows < 2 ** bits;
}

/** Returns a bucket's number of entries, from its number in a directory. */
export function bucketSize(number: number): number {
  return number >>> marks;
}

/**
 * Returns the order of fingerprints in a directory. Cost O(n).
 *
 * @param keys distinct fingerprints, alternating lo and hi
 * @returns indices of the fingerprints
 * @example
 * keyOrder(Uint32Array.of(0x30000, 0, 0x10001, 0, 0x10000, 0)) // => Uint32Array.of(2, 1, 0)
 */
export function keyOrder(keys: Uint32Array): Uint32Array {
  const count = keys.length / 2;
  const wordAt = (i: number) => wordOf(keys[2 * i]!, keys[2 * i + 1]!);
  const bucketAt = (i: number) => wordAt(i) >>> 16;
  const starts = new Uint32Array(buckets + 1);
  for (let i = 0; i < count; i += 1) starts[bucketAt(i) + 1]! += 1;
  for (let bucket = 0; bucket < buckets; bucket += 1) starts[bucket + 1]! += starts[bucket]!;
  const order = new Uint32Array(count);
  const next = starts.slice();
  for (let i = 0; i < count; i += 1) {
    const bucket = bucketAt(i);
    order[next[bucket]!] = i;
    next[bucket]! += 1;
  }
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const start = starts[bucket]!;
    const end = starts[bucket + 1]!;
    if (end - start < 2) continue;
    order
      .subarray(start, end)
      .sort((a, b) => wordAt(a) - wordAt(b) || keys[2 * a + 1]! - keys[2 * b + 1]!);
  }
  return order;
}

/**
 * Packs fingerprints in the order of `keyOrder` with their rows. Returns undefined if they are in
 * another order, or if a bucket would have more than 31, which happens in one of 10^12 models.
 *
 * @param rowOf row of each fingerprint
 * @param rows number of rows
 */
export function packKeys(
  keys: Uint32Array,
  rowOf: Uint32Array,
  rows: number,
): Directory | undefined {
  const count = rowOf.length;
  const bits = directoryBits(count, rows);
  if (bits === undefined) return undefined;
  const entries = new Uint32Array(2 * count);
  const directory = new Uint16Array(2 ** bits);
  const rowMask = 2 ** bits - 1;
  let last = 0;
  for (let i = 0; i < count; i += 1) {
    const hi = keys[2 * i + 1]!;
    const word = wordOf(keys[2 * i]!, hi);
    if (word < last || (word === last && i > 0 && hi <= keys[2 * i - 1]!)) return undefined;
    last = word;
    const bucket = word >>> (32 - bits);
    const size = bucketSize(directory[bucket]!);
    if (size === mostInBucket) return undefined;
    const first = i - size;
    directory[bucket] = (directory[bucket]! + 2 ** marks) | markOf(hi);
    let at = i;
    for (; at > first && (entries[2 * at - 2]! & rowMask) <= rowOf[i]!; at -= 1) {
      entries.copyWithin(2 * at, 2 * at - 2, 2 * at);
    }
    entries[2 * at] = (word << bits) | (rowOf[i]! + 1);
    entries[2 * at + 1] = hi;
  }
  return { bits, entries, directory };
}

/** Fingerprints, alternating lo and hi, with their rows. */
export interface UnpackedKeys {
  readonly keys: Uint32Array;
  readonly rowOf: Uint32Array;
}

/**
 * Inverts `packKeys`; returns undefined if the fingerprints are incomplete, if one of them is repeated
 * or 0, which represents none, or if a row or a mark is wrong.
 */
export function unpackKeys(
  { bits, entries, directory }: Directory,
  rows: number,
): UnpackedKeys | undefined {
  if (!hasRoom(bits, rows) || directory.length !== 2 ** bits) return undefined;
  const count = entries.length / 2;
  const keys = new Uint32Array(entries.length);
  const rowOf = new Uint32Array(count);
  let end = 0;
  for (let bucket = 0; bucket < directory.length; bucket += 1) {
    const first = end;
    end += bucketSize(directory[bucket]!);
    if (end > count) return undefined;
    let own = (end - first) << marks;
    for (let i = first; i < end; i += 1) {
      const low = entries[2 * i]!;
      const hi = entries[2 * i + 1]!;
      const word = ((bucket << (32 - bits)) | (low >>> bits)) >>> 0;
      const row = (low & (2 ** bits - 1)) - 1;
      if (row < 0 || row >= rows || (word === 0 && hi === 0)) return undefined;
      own |= markOf(hi);
      // Inserts the fingerprint in order.
      let at = i;
      for (; at > first; at -= 1) {
        const order = word - wordOf(keys[2 * at - 2]!, keys[2 * at - 1]!) || hi - keys[2 * at - 1]!;
        if (order === 0) return undefined;
        if (order > 0) break;
        keys.copyWithin(2 * at, 2 * at - 2, 2 * at);
        rowOf[at] = rowOf[at - 1]!;
      }
      rowOf[at] = row;
      keys[2 * at] = word ^ (hi >>> 7);
      keys[2 * at + 1] = hi;
    }
    if (own !== directory[bucket]) return undefined;
  }
  return end === count ? { keys, rowOf } : undefined;
}

/** Returns the mark of a fingerprint in the number of its bucket. */
function markOf(hi: number): number {
  return 1 << (((hi & 0xffff) * marks) >>> 16);
}

/** Returns the word that determines a fingerprint's place. */
function wordOf(lo: number, hi: number): number {
  return (lo ^ (hi >>> 7)) >>> 0;
}

/** Number of buckets of older files, as a power of two. */
const bucketBits = 16;
const buckets = 2 ** bucketBits;

/** Limits of `OlderKeys.bits`. */
export const leastTableBits = bucketBits;
export const mostTableBits = 28;

/**
 * Distinct fingerprints of a file of format version 8 or older. A fingerprint's bucket consists of the
 * upper 16 bits of the low `bits` bits of its word. Fingerprints are in the order of their buckets,
 * then of the other bits of their words, then of `hi`.
 */
export interface OlderKeys {
  readonly bits: number;
  /**
   * Bucket sizes: a 1 bit for each fingerprint of a bucket and a 0 bit after the bucket, low bits
   * first.
   */
  readonly buckets: Uint8Array;
  /** Upper word of each fingerprint. */
  readonly highs: Uint32Array;
  /** Bits of its word that the bucket does not determine. */
  readonly rests: Uint16Array;
}

/**
 * Returns the fingerprints, alternating lo and hi; undefined if they are incomplete or in another
 * order, or if one of them is repeated or 0.
 */
export function unpackOlder(packed: OlderKeys): Uint32Array | undefined {
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

/** Returns whether the lengths of the parts of `OlderKeys` are consistent. */
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
