import { bitsOf } from './vectors';

/**
 * Lists of the active entries of each column (or row) of a matrix of transitions, those with equally many
 * one after the other. What they mean stands in reference/sparse-transitions.ts. At `lists`, as words:
 * how many columns are plain, checked and explicit, then the addresses of their labels' offsets, of their
 * numbers of entries, of the entries' offsets and of the entries' weights, and how many plain columns have
 * 0, 1, 2, 3 and 4 entries.
 */

/**
 * Writes lists at `lists` and after it, at `room`; returns how many entries there are.
 *
 * @param exps exponentials, of which the lists keep the difference to `base`; 0 for the scores themselves
 * @param scratch room for 5 `labels` + 4 words
 * @param columnBytes from one column to the next
 * @param entryBytes from one entry of a column to the next
 * @param floor columns without an exponential below need no check
 */
export function listEntries<T>(
  lists: usize,
  room: usize,
  scratch: usize,
  scores: usize,
  exps: usize,
  base: T,
  floor: T,
  labels: i32,
  columnBytes: usize,
  entryBytes: usize,
): i32 {
  const keys = scratch;
  const places = scratch + (<usize>labels << 2);
  const kinds = labels + 1;
  memory.fill(places, 0, <usize>(3 * kinds + 1) << 2);
  store<i32>(lists, 0);
  store<i32>(lists, 0, 4);
  store<i32>(lists, 0, 8);
  for (let y = 0; y < labels; y += 1) {
    const key = keyOf<T>(scores, exps, floor, labels, <usize>y * columnBytes, entryBytes);
    const kind = key / kinds;
    store<i32>(lists + (<usize>kind << 2), load<i32>(lists + (<usize>kind << 2)) + 1);
    store<i32>(keys + (<usize>y << 2), key);
    const place = places + (<usize>(key + 1) << 2);
    store<i32>(place, load<i32>(place) + 1);
  }
  for (let key = 0; key < 3 * kinds; key += 1) {
    const place = places + (<usize>key << 2);
    store<i32>(place, load<i32>(place) + load<i32>(place, 4), 4);
  }
  const counts = room + (<usize>labels << 2);
  for (let y = 0; y < labels; y += 1) {
    const key = load<i32>(keys + (<usize>y << 2));
    const place = places + (<usize>key << 2);
    const at = load<i32>(place);
    store<i32>(place, at + 1);
    store<i32>(room + (<usize>at << 2), y);
    store<i32>(counts + (<usize>at << 2), key);
  }
  const others = counts + (<usize>labels << 2);
  const weights = (others + ((<usize>labels * <usize>labels) << 2) + 15) & ~15;
  store<usize>(lists, room, 12);
  store<usize>(lists, counts, 16);
  store<usize>(lists, others, 20);
  store<usize>(lists, weights, 24);
  memory.fill(lists + 28, 0, 20);
  let entries: usize = 0;
  for (let at: usize = 0; at < <usize>labels; at += 1) {
    const y = load<u32>(room + (at << 2));
    const key = load<i32>(counts + (at << 2));
    const isExplicit = key >= 2 * kinds;
    let entry = <usize>y * columnBytes;
    let count = 0;
    for (let other = 0; other < labels; other += 1) {
      const score = load<T>(scores + entry);
      const value = exps == 0 ? score : load<T>(exps + entry);
      if (isExplicit ? isPossible<T>(score, value, exps) : score != 0) {
        store<u32>(others + (entries << 2), other * <i32>sizeof<T>());
        const less = exps == 0 || isExplicit ? <T>0 : base;
        store<T>(weights + entries * sizeof<T>(), value - less);
        entries += 1;
        count += 1;
      }
      entry += entryBytes;
    }
    store<i32>(counts + (at << 2), count);
    if (key < kinds && key <= 4) {
      const run = lists + 28 + (<usize>key << 2);
      store<i32>(run, load<i32>(run) + 1);
    }
    store<u32>(room + (at << 2), y * <u32>sizeof<T>());
  }
  return <i32>entries;
}

// @ts-expect-error: decorator
@inline
function isPossible<T>(score: T, value: T, exps: usize): bool {
  return exps == 0 ? score != <T>-Infinity : value > 0;
}

/** Kind of a column times `labels + 1`, and how many entries it has. */
function keyOf<T>(
  scores: usize,
  exps: usize,
  floor: T,
  labels: i32,
  column: usize,
  entryBytes: usize,
): i32 {
  let active = 0;
  let possible = 0;
  let least: T = <T>Infinity;
  for (let other = 0; other < labels; other += 1) {
    const score = load<T>(scores + column);
    const value = exps == 0 ? score : load<T>(exps + column);
    active += i32(score != 0);
    possible += i32(isPossible<T>(score, value, exps));
    least = select(value, least, value < least);
    column += entryBytes;
  }
  const kinds = labels + 1;
  if (possible <= active) return 2 * kinds + possible;
  return exps != 0 && !(least >= floor) ? kinds + active : active;
}

/** How many of `labels` rows' numbers are not 0; lanes past the labels are. */
export function countNonZeros<T>(matrix: usize, labels: i32, width: i32): i32 {
  const end = matrix + <usize>(labels * width) * sizeof<T>();
  const zero = v128.splat<T>(0);
  let count = 0;
  for (let at = matrix; at < end; at += 16) {
    count += popcnt<i32>(bitsOf<T>(v128.ne<T>(v128.load(at), zero)));
  }
  return count;
}

/** Whether more than `limit` numbers are neither 0 nor minus infinity; looks no further than it has to. */
export function isDense<T>(matrix: usize, labels: i32, width: i32, limit: i32): bool {
  const rowBytes = <usize>width * sizeof<T>();
  const zero = v128.splat<T>(0);
  const least = v128.splat<T>(<T>-Infinity);
  let count = 0;
  for (let row = 0; row < labels && count <= limit; row += 1) {
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const scores = v128.load(matrix + at);
      const counts = v128.and(v128.ne<T>(scores, zero), v128.ne<T>(scores, least));
      count += popcnt<i32>(bitsOf<T>(counts));
    }
    matrix += rowBytes;
  }
  return count > limit;
}

/** How many of `labels` rows' numbers are not minus infinity; lanes past the labels are not counted. */
export function countFinite<T>(matrix: usize, labels: i32, width: i32): i32 {
  const end = matrix + <usize>(labels * width) * sizeof<T>();
  const least = v128.splat<T>(<T>-Infinity);
  let count = -labels * (width - labels);
  for (let at = matrix; at < end; at += 16) {
    count += popcnt<i32>(bitsOf<T>(v128.ne<T>(v128.load(at), least)));
  }
  return count;
}

/** Whether two tables hold the same bits, `bytes` of them, a multiple of a vector. */
export function sameBits(a: usize, b: usize, bytes: usize): bool {
  for (let at: usize = 0; at < bytes; at += 16) {
    if (v128.any_true(v128.xor(v128.load(a + at), v128.load(b + at)))) return false;
  }
  return true;
}

/** out = the transposed matrix; lanes past the last label of `out` are `rest`. */
export function transpose<T>(out: usize, matrix: usize, labels: i32, width: i32, rest: T): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let y = 0; y < labels; y += 1) {
    let from = matrix + <usize>y * sizeof<T>();
    for (let other = 0; other < width; other += 1) {
      store<T>(out, other < labels ? load<T>(from) : rest);
      out += sizeof<T>();
      from += rowBytes;
    }
  }
}
