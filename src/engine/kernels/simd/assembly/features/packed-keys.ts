// A read-only set of fingerprints in two arrays, described in `engine/features/index/packed-keys.ts`: entries of eight bytes, and a
// directory with a number of 16 bits for each bucket of entries. In memory, each group of four numbers is followed by a
// word with the number of entries before the group, so that a lookup reads two cache lines; `linkEntries` writes it, and
// replaces each bucket's size by the number of entries before it in its group. A group with their total comes last.

/** Number of low bits of a bucket's number that are its marks; the others hold its size, or what is before it. */
const markCount: u32 = 11;
const mostInBucket: u32 = (1 << (16 - markCount)) - 1;

/** The sizes and the marks in a group of buckets, and the factor that adds up the former from the first on. */
const groupSizes: u64 = 0x001f001f001f001f;
const groupMarks: u64 = 0x07ff07ff07ff07ff;
const groupSum: u64 = 0x0001000100010001;

/** Number of bytes of a group in memory. */
const groupBytes: usize = 12;

/**
 * Writes the entries and the buckets' numbers, initially zero, of the fingerprints of marks [from, until), after the earlier ones.
 * Returns whether the fingerprints, their order and their rows are valid and no bucket has too many.
 *
 * `progress` holds the state: the bucket, the fingerprints, the bytes of numbers, the fingerprints before the bucket, and
 * the rest and upper word of the last one in it. `highs`, `rests` and `numbers` are the addresses that the first fingerprint would
 * have; only the data from the next one on need be in memory.
 */
export function placeKeys(
  entries: usize,
  bucketNumbers: usize,
  directoryBits: u32,
  bits: u32,
  marks: usize,
  from: u32,
  until: u32,
  markBits: u32,
  highs: usize,
  rests: usize,
  count: u32,
  firstNumber: usize,
  numberBytes: u32,
  rowCount: u32,
  progress: usize,
): bool {
  const inBucket = bits - 16;
  const low: u32 = (1 << inBucket) - 1;
  const shift = 32 - directoryBits;
  const rows: u32 = (1 << directoryBits) - 1;
  const divisions = directoryBits < 16 ? 0 : directoryBits - 16;
  const united: u32 = directoryBits < 16 ? (1 << (16 - directoryBits)) - 1 : 0;
  let bucket: u32 = from == 0 ? 0 : load<u32>(progress);
  let next: u32 = from == 0 ? 0 : load<u32>(progress, 4);
  let numbers: u32 = from == 0 ? 0 : load<u32>(progress, 8);
  let start: u32 = from == 0 ? 0 : load<u32>(progress, 12);
  let last: i64 = from == 0 ? -1 : load<i64>(progress, 16);
  for (let at: u32 = from; at < until; at += 1) {
    if (((load<u8>(marks + (at >> 3)) >> <u8>(at & 7)) & 1) == 0) {
      bucket += 1;
      if ((bucket & united) == 0) start = next;
      last = -1;
      continue;
    }
    if (bucket > 0xffff || next >= count) return false;
    const rest: u32 = load<u16>(rests + ((<usize>next) << 1));
    const high: u32 = load<u32>(highs + ((<usize>next) << 2));
    const order: i64 = ((<i64>rest) << 32) | (<i64>high);
    if (order <= last) return false;
    last = order;
    // The byte length of a row is unpredictable, so the code does not branch on it: the next row's bytes are masked.
    const four = load<u32>(firstNumber + numbers);
    const ends = ~four & 0x80808080;
    const ownBytes = four & (ends ^ (ends - 1));
    let row = ownBytes & 0x7f;
    row |= (ownBytes >> 1) & 0x3f80;
    row |= (ownBytes >> 2) & 0x1fc000;
    row |= (ownBytes >> 3) & 0xfe00000;
    numbers += (ctz(ends) + 1) >> 3;
    if (ends == 0) {
      const fifth = <u32>load<u8>(firstNumber + numbers);
      if (fifth >= 0x80) return false;
      row |= fifth << 28;
      numbers += 1;
    }
    const turned = (bucket << 16) | ((rest & low) << (16 - inBucket)) | (rest >> inBucket);
    // Fingerprint 0 means no feature, and is often looked up.
    if (numbers > numberBytes || row >= rowCount || (high | turned) == 0) return false;
    const index = turned >> shift;
    const own = bucketNumbers + ((<usize>index) << 1);
    const word = <u32>load<u16>(own);
    if (word >> markCount == mostInBucket) return false;
    store<u16>(own, (word + (1 << markCount)) | (1 << markOf(high)));
    // The file's buckets have one or more of the directory's, or the other way round.
    let place = start;
    for (let i = bucket << divisions; i < index; i += 1) {
      place += <u32>load<u16>(bucketNumbers + ((<usize>i) << 1)) >> markCount;
    }
    const first = entries + ((<usize>place) << 3);
    const end = first + ((<usize>(word >> markCount)) << 3);
    let entry = entries + ((<usize>next) << 3);
    for (; entry > first; entry -= 8) {
      const before = load<u64>(entry - 8);
      if (entry <= end && (<u32>before & rows) > row) break;
      store<u64>(entry, before);
    }
    store<u64>(entry, ((<u64>high) << 32) | (<u64>((turned << directoryBits) | (row + 1))));
    next += 1;
  }
  store<u32>(progress, bucket);
  store<u32>(progress, next, 4);
  store<u32>(progress, numbers, 8);
  store<u32>(progress, start, 12);
  store<i64>(progress, last, 16);
  return until < markBits || (next == count && numbers == numberBytes);
}

/**
 * Links a directory to its entries; returns whether it has `count` entries and their rows are from 1 to `rowCount`. Fails,
 * too, if three buckets of a group have more than 31 entries. The numbers of the buckets are at the end of the region of
 * the directory without its last group.
 */
export function linkEntries(
  entries: usize,
  count: u32,
  rowCount: u32,
  directory: usize,
  directoryBits: u32,
): bool {
  let total: u32 = 0;
  let sums: u64 = 0;
  let most: u64 = 0;
  const groups = (<usize>1 << directoryBits) >> 2;
  let from = directory + (groups << 2);
  let group = directory;
  for (const end = group + groups * groupBytes; group < end; group += groupBytes) {
    const numbers = load<u64>(from);
    sums = ((numbers >> markCount) & groupSizes) * groupSum;
    most |= sums << 16;
    store<u64>(group, (numbers & groupMarks) | (sums << (16 + markCount)));
    store<u32>(group, total, 8);
    total += <u32>(sums >> 48);
    from += 8;
  }
  store<u64>(group, 0);
  store<u32>(group, total, 8);
  if (total != count || (most & ~groupSizes) != 0) return false;
  const rows: u32 = (1 << directoryBits) - 1;
  const mask = i64x2.splat(<u64>rows);
  // A row less than 1 becomes the greatest.
  const one = i64x2.splat(1);
  let greatest = i32x4.splat(0);
  const end = entries + ((<usize>count) << 3);
  let at = entries;
  for (; at + 16 <= end; at += 16) {
    greatest = i32x4.max_u(greatest, i32x4.sub(v128.and(v128.load(at), mask), one));
  }
  if (at < end) {
    // The other half is that of row 1.
    const last = v128.or(v128.load64_zero(at), i64x2(0, 1));
    greatest = i32x4.max_u(greatest, i32x4.sub(v128.and(last, mask), one));
  }
  return count == 0 || !v128.any_true(i32x4.ge_u(greatest, i32x4.splat(rowCount)));
}

/** Returns the number of a fingerprint's mark, from its upper word. */
// @ts-expect-error: decorator
@inline
function markOf(hi: u32): u32 {
  return ((hi & 0xffff) * markCount) >> 16;
}

/** Returns the word by which fingerprints are ordered first; see `engine/features/index/packed-keys.ts`. */
// @ts-expect-error: decorator
@inline
function turnedWord(lo: u32, hi: u32, turn: u32): u32 {
  const word = lo ^ (hi >> 7);
  return turn == 0 ? word : rotl(word, turn);
}

/** Does the same as `filtered` in rows.ts; `mask` is minus the number of buckets. */
// @ts-expect-error: decorator
@inline
export function mayHave(
  directory: usize,
  mask: u32,
  turn: u32,
  list: usize,
  k: u32,
  end: u32,
  into: usize,
): usize {
  const buckets = <u64>(-mask);
  for (let at = list + ((<usize>k) << 3); k < end; k += 1) {
    store<u32>(into, k);
    const hi = load<u32>(at, 4);
    // A multiplication is faster than a shift by a variable.
    const index = <usize>((<u64>turnedWord(load<u32>(at), hi, turn) * buckets) >> 32);
    into += <usize>((<u32>load<u16>(numberOf(directory, index)) >> markOf(hi)) & 1) << 2;
    at += 8;
  }
  return into;
}

/** Returns the row + 1 of a fingerprint, or 0. */
// @ts-expect-error: decorator
@inline
export function packedRow(
  entries: usize,
  mask: u32,
  directory: usize,
  turn: u32,
  lo: u32,
  hi: u32,
): u32 {
  // The upper half is the number of the bucket, the lower half has the bits in an entry.
  const buckets = <usize>(-mask);
  const product = <u64>turnedWord(lo, hi, turn) * <u64>buckets;
  const index = <usize>(product >> 32);
  const keyBits = 0xffffffff00000000 | <u64>mask;
  const wanted = ((<u64>hi) << 32) | <u64>(<u32>product);
  let at = entries + (startOf(directory, index) << 3);
  let entry = load<u64>(at);
  // Nothing passes an empty bucket, so that it has a first entry.
  if ((entry & keyBits) == wanted) return <u32>entry & ~mask;
  const end = entries + (startOf(directory, index + 1) << 3);
  for (at += 8; at < end; at += 8) {
    entry = load<u64>(at);
    if ((entry & keyBits) == wanted) return <u32>entry & ~mask;
  }
  return 0;
}

/** Returns the address of a bucket's number. */
// @ts-expect-error: decorator
@inline
function numberOf(directory: usize, index: usize): usize {
  return directory + (index >> 2) * groupBytes + ((index & 3) << 1);
}

/** Returns the number of entries before a bucket. */
// @ts-expect-error: decorator
@inline
function startOf(directory: usize, index: usize): usize {
  const group = directory + (index >> 2) * groupBytes;
  return <usize>load<u32>(group, 8) + (<usize>load<u16>(group + ((index & 3) << 1)) >> markCount);
}
