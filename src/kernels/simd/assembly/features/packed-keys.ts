// A read-only set of fingerprints, described in `features/index/packed-keys.ts`, in a table of `2 ** bits` entries of eight
// bytes:
//
//   row + 1 in the low `bits`, then the bits of `lo ^ hi >>> 7` above its place, then hi
//
// A free entry is 0. The fingerprint bits missing from an entry are implied by its place, or by a place a few entries
// before. Building the table checks that all fingerprints can be distinguished; an absent fingerprint is mistaken for
// another about as rarely as two features have the same fingerprint.

/**
 * Fills a table and a filter, initially zero, with the fingerprints of marks [from, until), after the earlier ones. Returns
 * whether the fingerprints, their order and their rows are valid and all fingerprints can be distinguished.
 *
 * `progress` holds the state: the bucket, the fingerprints, the bytes of numbers, an unused word, and the rest and upper
 * word of the last one in the bucket. `highs`, `rests` and `numbers` are the addresses that the first fingerprint would
 * have; only the data from the next one on need be in memory.
 */
export function placeKeys(
  table: usize,
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
  filter: usize,
  filterMask: u32,
  progress: usize,
): bool {
  const mask: u32 = (1 << bits) - 1;
  const inBucket = bits - 16;
  const low: u32 = (1 << inBucket) - 1;
  let bucket: u32 = from == 0 ? 0 : load<u32>(progress);
  let next: u32 = from == 0 ? 0 : load<u32>(progress, 4);
  let numbers: u32 = from == 0 ? 0 : load<u32>(progress, 8);
  let last: i64 = from == 0 ? -1 : load<i64>(progress, 16);
  for (let at: u32 = from; at < until; at += 1) {
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
    // The byte length of a row is unpredictable, so the code does not branch on it: the next row's bytes are masked.
    const four = load<u32>(firstNumber + numbers);
    const ends = ~four & 0x80808080;
    const own = four & (ends ^ (ends - 1));
    let row = own & 0x7f;
    row |= (own >> 1) & 0x3f80;
    row |= (own >> 2) & 0x1fc000;
    row |= (own >> 3) & 0xfe00000;
    numbers += (ctz(ends) + 1) >> 3;
    if (ends == 0) {
      const fifth = <u32>load<u8>(firstNumber + numbers);
      if (fifth >= 0x80) return false;
      row |= fifth << 28;
      numbers += 1;
    }
    if (numbers > numberBytes) return false;
    const held = ((<u64>high) << 32) | ((<u64>(rest >> inBucket)) << bits);
    // Fingerprint 0 means no feature, and is often looked up.
    if (held == 0 || row >= rowCount) return false;
    let slot = (bucket << inBucket) | (rest & low);
    let entry = load<u64>(table + (<usize>slot << 3));
    while (entry != 0) {
      if ((entry & ~(<u64>mask)) == held) return false;
      slot = (slot + 1) & mask;
      entry = load<u64>(table + (<usize>slot << 3));
    }
    store<u64>(table + (<usize>slot << 3), held | (<u64>(row + 1)));
    if (filter != 0) {
      const bit = high & filterMask;
      const place = filter + ((bit >> 5) << 2);
      store<u32>(place, load<u32>(place) | (<u32>1 << (bit & 31)));
    }
    next += 1;
  }
  store<u32>(progress, bucket);
  store<u32>(progress, next, 4);
  store<u32>(progress, numbers, 8);
  store<i64>(progress, last, 16);
  return until < markBits || (next == count && numbers == numberBytes);
}

/** Returns the row + 1 of a fingerprint in a table of `mask` + 1 entries, or 0. */
// @ts-expect-error: decorator
@inline
export function packedRow(table: usize, mask: u32, lo: u32, hi: u32): u32 {
  const word = lo ^ (hi >> 7);
  const wanted = ((<u64>hi) << 32) | (<u64>(word & ~mask));
  let slot = word & mask;
  let entry = load<u64>(table + (<usize>slot << 3));
  // All bits of a free entry are 0.
  while (entry != 0 && (entry & ~(<u64>mask)) != wanted) {
    slot = (slot + 1) & mask;
    entry = load<u64>(table + (<usize>slot << 3));
  }
  return <u32>entry & mask;
}
