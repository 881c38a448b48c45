import { mayHave, packedRow } from './packed-keys';

/**
 * Functions that find the rows of fingerprints, as compressed rows by token: token `t` has `rows[starts[t] .. starts[t
 * + 1])`. If `kept` is not 0, it receives each row's place in the list. Fingerprint 0 means no feature.
 */

/** Bits of an entry's last word that count occurrences; the top bit is a mark. */
const countBits: u32 = 0x7fffffff;

/**
 * Finds rows in a hash table with entries (lo, hi, row + 1, seen); `filter` is a bit set, or 0. If the entries are
 * packed, `mask` is the complement of their rows' mask, `filter` their directory, and `filterMask` the number of
 * places by which words are turned: see packed-keys.ts.
 */
export function findRows(
  table: usize,
  mask: u32,
  filter: usize,
  filterMask: u32,
  list: usize,
  length: i32,
  templates: i32,
  firstRow: u32,
  starts: usize,
  rows: usize,
  kept: usize,
): void {
  let count: u32 = 0;
  let k: u32 = 0;
  for (let t = 0; t < length; t += 1) {
    // Candidates that pass the filter are stored in the room for the rows, which suffices.
    const own = rows + ((<usize>count) << 2);
    const passed = filtered(mask, filter, filterMask, list, k, k + templates, own);
    k += templates;
    for (let at = own; at < passed; at += 4) {
      const place = load<u32>(at);
      const row = rowOf(table, mask, filter, filterMask, load<u64>(list + ((<usize>place) << 3)));
      // A missing row is overwritten by the next one, which avoids a branch.
      store<u32>(rows + ((<usize>count) << 2), row - 1 + firstRow);
      if (kept != 0) store<u32>(kept + ((<usize>count) << 2), place);
      count += u32(row != 0);
    }
    store<u32>(starts + ((<usize>(t + 1)) << 2), count);
  }
}

/**
 * Finds rows and adds entries: a feature gets the next row when it is seen for the `cutoff`th time. `counts` has the
 * numbers of entries, rows, and rows found in this list. Stops before a token whose features might fill the table
 * beyond `limit` entries, and returns the next token. If `fresh` is not 0, the fingerprint of a new row `r` goes to
 * its place `r - freshFrom`. `mark`, the top bit or 0, is set in each visited entry. If `free` is not 0, it holds the
 * number of free rows taken, their total number, and their list: free rows are assigned before new ones.
 */
export function internRows(
  table: usize,
  mask: u32,
  limit: u32,
  cutoff: u32,
  counts: usize,
  list: usize,
  from: i32,
  length: i32,
  templates: i32,
  firstRow: u32,
  starts: usize,
  rows: usize,
  kept: usize,
  fresh: usize,
  freshFrom: u32,
  mark: u32,
  free: usize,
): i32 {
  let taken: u32 = free != 0 ? load<u32>(free) : 0;
  const available: u32 = free != 0 ? load<u32>(free, 4) : 0;
  let entries = load<u32>(counts);
  let size = load<u32>(counts, 4);
  let count = from == 0 ? 0 : load<u32>(counts, 8);
  let t = from;
  let k: u32 = from * templates;
  let ahead = k;
  const places = <u32>(length * templates);
  for (; t < length && entries + <u32>templates <= limit; t += 1) {
    if (k >= ahead) {
      ahead = min(places, k + max(atATime, templates));
      touch(table, mask, list + ((<usize>k) << 3), ahead - k);
    }
    for (let last = k + templates; k < last; k += 1) {
      const wanted = load<u64>(list + ((<usize>k) << 3));
      if (wanted == 0) continue;
      const slot = slotOf(table, mask, wanted, <u32>wanted, <u32>(wanted >> 32));
      const entry = table + ((<usize>slot) << 4);
      let row = load<u32>(entry, 8);
      if (row == 0) {
        const seen = (load<u32>(entry, 12) & countBits) + 1;
        if (seen == 1) {
          store<u64>(entry, wanted);
          entries += 1;
        }
        store<u32>(entry, seen | mark, 12);
        if (seen < cutoff) continue;
        if (taken < available) {
          row = load<u32>(free + 8 + ((<usize>taken) << 2)) + 1;
          taken += 1;
        } else {
          size += 1;
          row = size;
        }
        store<u32>(entry, row, 8);
        if (fresh != 0) store<u64>(fresh + ((<usize>(row - 1 - freshFrom)) << 3), wanted);
      } else if (mark != 0) {
        store<u32>(entry, load<u32>(entry, 12) | mark, 12);
      }
      store<u32>(rows + ((<usize>count) << 2), row - 1 + firstRow);
      if (kept != 0) store<u32>(kept + ((<usize>count) << 2), k);
      count += 1;
    }
    store<u32>(starts + ((<usize>(t + 1)) << 2), count);
  }
  store<u32>(counts, entries);
  store<u32>(counts, size, 4);
  store<u32>(counts, count, 8);
  if (free != 0) store<u32>(free, taken);
  return t;
}

/** Computes rows from the hash alone: all features share `size` rows. */
export function hashRows(
  size: u32,
  list: usize,
  length: i32,
  templates: i32,
  firstRow: u32,
  starts: usize,
  rows: usize,
  kept: usize,
): void {
  let count: u32 = 0;
  let k: u32 = 0;
  for (let t = 0; t < length; t += 1) {
    for (let last = k + templates; k < last; k += 1) {
      const wanted = load<u64>(list + ((<usize>k) << 3));
      if (wanted == 0) continue;
      const row = (<u32>wanted ^ (<u32>(wanted >> 32) * 0x9e3779b1)) % size;
      store<u32>(rows + ((<usize>count) << 2), row + firstRow);
      if (kept != 0) store<u32>(kept + ((<usize>count) << 2), k);
      count += 1;
    }
    store<u32>(starts + ((<usize>(t + 1)) << 2), count);
  }
}

/** Copies the used entries of one table to another, which is empty and large enough. */
export function rehash(from: usize, entries: u32, to: usize, mask: u32): void {
  const end = from + ((<usize>entries) << 4);
  for (let entry = from; entry < end; entry += 16) {
    if (load<u32>(entry, 12) == 0) continue;
    const key = load<u64>(entry);
    const slot = slotOf(to, mask, key, <u32>key, <u32>(key >> 32));
    v128.store(to + ((<usize>slot) << 4), v128.load(entry));
  }
}

/** Number of entries to prefetch before use: their cache lines take a third of the L1 cache. */
const atATime: u32 = 256;

/** The result of `touch`, stored so that the reads are not optimised away. */
let touched: u32 = 0;

/** Reads the first entries of fingerprints; nothing depends on the values, so many reads are in flight at once. */
// @ts-expect-error: decorator
@inline
export function touch(table: usize, mask: u32, list: usize, count: u32): void {
  let sum: u32 = 0;
  for (const end = list + (<usize>count << 3); list < end; list += 8) {
    const slot = (load<u32>(list) ^ (load<u32>(list, 4) >> 7)) & mask;
    sum += load<u32>(table + (<usize>slot << 4));
  }
  touched = sum;
}

/**
 * Writes the numbers of those fingerprints of a list, from `k` to before `end`, that are not certainly absent; returns
 * where they end. The arguments are as in `findRows`. Whether one is absent is unpredictable, so the code does not branch
 * on it.
 */
// @ts-expect-error: decorator
@inline
export function filtered(
  mask: u32,
  filter: usize,
  filterMask: u32,
  list: usize,
  k: u32,
  end: u32,
  into: usize,
): usize {
  if (<i32>mask < 0) return mayHave(filter, mask, filterMask, list, k, end, into);
  for (; k < end; k += 1) {
    store<u32>(into, k);
    let passes: u32 = 1;
    if (filter != 0) {
      const bit = load<u32>(list + ((<usize>k) << 3), 4) & filterMask;
      passes = (load<u32>(filter + ((bit >> 5) << 2)) >> (bit & 31)) & 1;
    }
    into += <usize>passes << 2;
  }
  return into;
}

/** Returns the row + 1 of a fingerprint, or 0; the arguments are as in `findRows`. */
// @ts-expect-error: decorator
@inline
export function rowOf(table: usize, mask: u32, filter: usize, filterMask: u32, wanted: u64): u32 {
  const hi = <u32>(wanted >> 32);
  if (<i32>mask < 0) return packedRow(table, mask, filter, filterMask, <u32>wanted, hi);
  const slot = slotOf(table, mask, wanted, <u32>wanted, hi);
  // A free entry has row 0.
  return load<u32>(table + ((<usize>slot) << 4), 8);
}

/** Returns the entry of a fingerprint, or the free entry in which it belongs. */
// @ts-expect-error: decorator
@inline
export function slotOf(table: usize, mask: u32, wanted: u64, lo: u32, hi: u32): u32 {
  let slot = (lo ^ (hi >> 7)) & mask;
  let entry = table + ((<usize>slot) << 4);
  while (load<u32>(entry, 12) != 0 && load<u64>(entry) != wanted) {
    slot = (slot + 1) & mask;
    entry = table + ((<usize>slot) << 4);
  }
  return slot;
}
