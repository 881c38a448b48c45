import { slotOf } from './rows';

/**
 * Puts packed fingerprints into an empty table with their rows; see `features/index/packed-keys.ts`. They come in the
 * order of the table, which is written from its start to its end.
 *
 * @param marks a bit that is 1 for each fingerprint of a bucket, and one that is 0 after it
 * @param numbers the rows, in seven bits a byte, low ones first; the top bit says that more follow
 * @param filter a bit set that has room for `filterMask + 1` bits, or 0
 * @returns whether the fingerprints, their order and their rows are right
 */
export function placeKeys(
  table: usize,
  mask: u32,
  bits: u32,
  marks: usize,
  markBits: u32,
  highs: usize,
  rests: usize,
  count: u32,
  numbers: usize,
  numbersEnd: usize,
  rowCount: u32,
  filter: usize,
  filterMask: u32,
): bool {
  const inBucket = bits - 16;
  const low: u32 = (1 << inBucket) - 1;
  let bucket: u32 = 0;
  let next: u32 = 0;
  let last: i64 = -1;
  for (let at: u32 = 0; at < markBits; at += 1) {
    if (((load<u8>(marks + (at >> 3)) >> <u8>(at & 7)) & 1) == 0) {
      bucket += 1;
      last = -1;
      continue;
    }
    if (bucket > 0xffff || next >= count) return false;
    const rest: u32 = load<u16>(rests + ((<usize>next) << 1));
    const high: u32 = load<u32>(highs + ((<usize>next) << 2));
    const order: i64 = ((<i64>rest) << 32) | (<i64>high);
    if (order <= last) return false;
    last = order;
    const word: u32 = ((rest >> inBucket) << bits) | (bucket << inBucket) | (rest & low);
    const key: u64 = ((<u64>high) << 32) | (<u64>(word ^ (high >> 7)));
    let row: u32 = 0;
    let shift: u32 = 0;
    let byte: u32 = 0;
    do {
      if (numbers == numbersEnd || shift > 28) return false;
      byte = load<u8>(numbers);
      numbers += 1;
      row |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    if (key == 0 || row >= rowCount) return false;
    const slot = slotOf(table, mask, key, <u32>key, high);
    const entry = table + ((<usize>slot) << 4);
    store<u64>(entry, key);
    store<u32>(entry, row + 1, 8);
    store<u32>(entry, 1, 12);
    if (filter != 0) {
      const bit = high & filterMask;
      const place = filter + ((bit >> 5) << 2);
      store<u32>(place, load<u32>(place) | (<u32>1 << (bit & 31)));
    }
    next += 1;
  }
  return next == count && numbers == numbersEnd;
}
