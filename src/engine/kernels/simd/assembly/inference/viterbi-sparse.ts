import { groupBytes, placeBytes, rowAt, startAt, stepBytes } from './sparse-lists';
import { bitsOf, laneMask, lanes, maxOf } from '../vectors';

/** Runs `viterbi` with lists, bit-identical: as in `viterbi-listed.ts`, for active transitions. */
export function viterbiSparse<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  lists: usize,
  negatives: usize,
  incoming: usize,
  transposed: usize,
  delta: usize,
  best: usize,
): T {
  const rowBytes = <usize>width * sizeof<T>();
  const work = load<usize>(lists, 16);
  const never = v128.splat<T>(<T>-Infinity);
  let row = delta + <usize>first * rowBytes;
  let score = scores + <usize>first * rowBytes;
  let top = 0;
  let most: T = 0;
  for (let t = first; t < end; t += 1) {
    let place = work;
    let a = never, b = a;
    if (t == first) {
      for (let column = 0; column < width; column += lanes<T>()) {
        // Lanes past the labels never win.
        const value = v128.bitselect(v128.load(score), never, laneMask<T>(column, labels));
        v128.store(row, value);
        v128.store(place, value, rowAt);
        a = v128.pmax<T>(a, value);
        place += placeBytes;
        score += 16;
        row += 16;
      }
    } else {
      gatherLargest<T>(lists);
      // If the transition from the best label scores below 0, the others must be searched.
      const targets = load<usize>(negatives + (<usize>top << 2));
      const stop = load<usize>(negatives + (<usize>top << 2), 4);
      for (let target = targets; target < stop; target += 4) {
        const at = <usize>load<u32>(target);
        const to = work + (at >> 4) * placeBytes + (at & 15);
        store<T>(to, bestSum<T>(row - rowBytes, transposed + at * <usize>width, rowBytes));
        store<T>(to, <T>-Infinity, startAt);
      }
      const from = v128.splat<T>(most);
      const last = row + rowBytes;
      while (row < last - 16) {
        const i = largest<T>(place, from, score);
        const j = largest<T>(place + placeBytes, from, score + 16);
        v128.store(row, i);
        v128.store(row, j, 16);
        a = v128.pmax<T>(a, i);
        b = v128.pmax<T>(b, j);
        place += 2 * placeBytes;
        score += 32;
        row += 32;
      }
      if (row < last) {
        const i = largest<T>(place, from, score);
        v128.store(row, i);
        a = v128.pmax<T>(a, i);
        score += 16;
        row += 16;
      }
      for (let target = targets; target < stop; target += 4) {
        const at = <usize>load<u32>(target);
        store<T>(work + (at >> 4) * placeBytes + (at & 15), 0, startAt);
      }
    }
    most = maxOf<T>(v128.pmax<T>(a, b));
    top = placeOf<T>(row - rowBytes, most, rowBytes);
    store<i32>(best + (<usize>t << 2), top);
  }
  let label = top;
  row -= rowBytes;
  for (let t = end - 2; t >= first; t -= 1) {
    row -= rowBytes;
    const at = best + (<usize>t << 2);
    label = labelBefore<T>(row, label, load<i32>(at), incoming, transposed, rowBytes);
    store<i32>(at, label);
  }
  return most;
}

/**
 * Returns the score of a label with its best predecessor: an entry's, or `from` if the label may start from
 * it.
 */
// @ts-expect-error: decorator
@inline
function largest<T>(place: usize, from: v128, score: usize): v128 {
  const inactive = v128.add<T>(from, v128.load(place, startAt));
  const value = v128.add<T>(v128.pmax<T>(v128.load(place), inactive), v128.load(score));
  v128.store(place, value, rowAt);
  return value;
}

/**
 * Returns the lowest of a label's best predecessors: an entry's, or the overall best, because no label without
 * an entry is better, and none equally good is lower.
 */
// @ts-expect-error: decorator
@inline
function labelBefore<T>(
  row: usize,
  label: i32,
  top: i32,
  incoming: usize,
  transposed: usize,
  rowBytes: usize,
): i32 {
  const into = transposed + <usize>label * rowBytes;
  const free = load<T>(into + <usize>top * sizeof<T>());
  if (!(free >= 0)) return topOfSum<T>(row, into, rowBytes);
  let from = <usize>top * sizeof<T>();
  let most = load<T>(row + from) + free;
  let entry = load<usize>(incoming + (<usize>label << 2));
  const end = load<usize>(incoming + (<usize>label << 2), 4);
  for (; entry < end; entry += 2 * sizeof<T>()) {
    const other = <usize>load<u32>(entry);
    const score = load<T>(row + other) + load<T>(entry, sizeof<T>());
    if (score > most || (score == most && other < from)) {
      most = score;
      from = other;
    }
  }
  return <i32>(from / sizeof<T>());
}

/** Computes the maximum of the sums over each label's entries, in the workspace of the lists. */
// @ts-expect-error: decorator
@inline
function gatherLargest<T>(lists: usize): void {
  let group = load<usize>(lists);
  const last = load<usize>(lists, 4);
  while (group < last) {
    let a = v128.splat<T>(<T>-Infinity), b = a, c = a, d = a;
    let step = group + groupBytes;
    const end = step + load<usize>(group);
    for (; step < end; step += stepBytes) {
      a = v128.pmax<T>(a, v128.add<T>(v128.load_splat<T>(load<usize>(step)), v128.load(step, 16)));
      b = v128.pmax<T>(b, v128.add<T>(v128.load_splat<T>(load<usize>(step, 4)), v128.load(step, 32)));
      c = v128.pmax<T>(c, v128.add<T>(v128.load_splat<T>(load<usize>(step, 8)), v128.load(step, 48)));
      d = v128.pmax<T>(d, v128.add<T>(v128.load_splat<T>(load<usize>(step, 12)), v128.load(step, 64)));
    }
    v128.store(load<usize>(group, 16), d);
    v128.store(load<usize>(group, 12), c);
    v128.store(load<usize>(group, 8), b);
    v128.store(load<usize>(group, 4), a);
    group = end;
  }
}

/** Returns the index of the first lane of a row that equals `value`. */
// @ts-expect-error: decorator
@inline
function placeOf<T>(row: usize, value: T, rowBytes: usize): i32 {
  const values = v128.splat<T>(value);
  for (let at: usize = 0; at < rowBytes; at += 16) {
    const found = bitsOf<T>(v128.eq<T>(v128.load(row + at), values));
    if (found != 0) return <i32>(at / sizeof<T>()) + <i32>ctz<i32>(found);
  }
  return 0;
}

/** Returns the largest x + y in a row. */
function bestSum<T>(x: usize, y: usize, rowBytes: usize): T {
  let a = v128.add<T>(v128.load(x), v128.load(y)), b = a, c = a, d = a;
  let at: usize = 0;
  for (; at + 64 <= rowBytes; at += 64) {
    a = v128.pmax<T>(a, v128.add<T>(v128.load(x + at), v128.load(y + at)));
    b = v128.pmax<T>(b, v128.add<T>(v128.load(x + at, 16), v128.load(y + at, 16)));
    c = v128.pmax<T>(c, v128.add<T>(v128.load(x + at, 32), v128.load(y + at, 32)));
    d = v128.pmax<T>(d, v128.add<T>(v128.load(x + at, 48), v128.load(y + at, 48)));
  }
  for (; at < rowBytes; at += 16) {
    a = v128.pmax<T>(a, v128.add<T>(v128.load(x + at), v128.load(y + at)));
  }
  return maxOf<T>(v128.pmax<T>(v128.pmax<T>(a, b), v128.pmax<T>(c, d)));
}

/** Returns the index of the largest x + y in a row, the lowest on ties. */
export function topOfSum<T>(x: usize, y: usize, rowBytes: usize): i32 {
  const top = v128.splat<T>(bestSum<T>(x, y, rowBytes));
  for (let at: usize = 0; at < rowBytes; at += 16) {
    const sum = v128.add<T>(v128.load(x + at), v128.load(y + at));
    const found = bitsOf<T>(v128.eq<T>(sum, top));
    if (found != 0) return <i32>(at / sizeof<T>()) + <i32>ctz<i32>(found);
  }
  return 0;
}

/**
 * Lists for each label the columns that start from the best label and whose transition from this label is
 * below 0, one after the other at `targets`; writes the address of each label's first column to `negatives`,
 * followed by the end.
 */
export function listNegatives<T>(
  negatives: usize,
  targets: usize,
  lists: usize,
  scores: usize,
  labels: i32,
  width: i32,
): void {
  const work = load<usize>(lists, 16);
  for (let from = 0; from < labels; from += 1) {
    store<usize>(negatives + (<usize>from << 2), targets);
    for (let to = 0; to < labels; to += 1) {
      const score = load<T>(scores + <usize>(from * width + to) * sizeof<T>());
      const at = <usize>to * sizeof<T>();
      if (!(score < 0) || load<T>(work + (at >> 4) * placeBytes + (at & 15), startAt) != 0) continue;
      store<u32>(targets, <u32>at);
      targets += 4;
    }
  }
  store<usize>(negatives + (<usize>labels << 2), targets);
}

/**
 * Lists each label's possible predecessors with a nonzero score, or all of them if everything possible is
 * listed: offset in a row and score, one after the other at `entries`; writes the address of each label's
 * first predecessor to `incoming`, followed by the end.
 */
export function listIncoming<T>(
  incoming: usize,
  entries: usize,
  lists: usize,
  transposed: usize,
  labels: i32,
  width: i32,
): void {
  const work = load<usize>(lists, 16);
  for (let to = 0; to < labels; to += 1) {
    store<usize>(incoming + (<usize>to << 2), entries);
    const at = <usize>to * sizeof<T>();
    // Minus infinity if everything possible is listed.
    const unlisted = load<T>(work + (at >> 4) * placeBytes + (at & 15), startAt);
    const row = transposed + at * <usize>width;
    for (let from: usize = 0; from < <usize>labels * sizeof<T>(); from += sizeof<T>()) {
      const score = load<T>(row + from);
      if (score == unlisted) continue;
      store<u32>(entries, <u32>from);
      store<T>(entries, score, sizeof<T>());
      entries += 2 * sizeof<T>();
    }
  }
  store<usize>(incoming + (<usize>labels << 2), entries);
}
