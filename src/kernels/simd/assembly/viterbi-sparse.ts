import { groupBytes, placeBytes, rowAt, startAt, stepBytes } from './sparse-lists';
import { bitsOf, maxOf } from './vectors';

/** `viterbi` by lists, with the same scores to the bit; see reference/viterbi-sparse.ts. */
export function viterbiSparse<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  lists: usize,
  negatives: usize,
  transposed: usize,
  delta: usize,
  best: usize,
): T {
  const rowBytes = <usize>width * sizeof<T>();
  const work = load<usize>(lists, 16);
  const begin = <usize>first * rowBytes;
  memory.copy(delta + begin, scores + begin, rowBytes);
  closeRow<T>(delta + begin, labels, width);
  let place = work;
  for (let at: usize = 0; at < rowBytes; at += 16) {
    v128.store(place, v128.load(delta + begin + at), rowAt);
    place += placeBytes;
  }
  for (let t = first + 1; t < end; t += 1) {
    const row = delta + <usize>t * rowBytes;
    const before = row - rowBytes;
    const top = topOf<T>(before, rowBytes);
    const most = load<T>(before + <usize>top * sizeof<T>());
    gatherLargest<T>(lists);
    const add = scores + <usize>t * rowBytes;
    place = work;
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const inactive = v128.add<T>(v128.splat<T>(most), v128.load(place, startAt));
      const largest = v128.pmax<T>(v128.load(place), inactive);
      const value = v128.add<T>(largest, v128.load(add + at));
      v128.store(place, value, rowAt);
      v128.store(row + at, value);
      place += placeBytes;
    }
    // From the best label one may not get there for nothing: the others have to be looked at.
    let target = load<usize>(negatives + (<usize>top << 2));
    const stop = load<usize>(negatives + (<usize>top << 2), 4);
    for (; target < stop; target += 4) {
      const at = <usize>load<u32>(target);
      const largest = bestSum<T>(before, transposed + at * <usize>width, rowBytes);
      const value = largest + load<T>(add + at);
      store<T>(row + at, value);
      store<T>(work + (at >> 4) * placeBytes + (at & 15), value, rowAt);
    }
  }
  const last = delta + <usize>(end - 1) * rowBytes;
  let label = topOf<T>(last, rowBytes);
  const score = load<T>(last + <usize>label * sizeof<T>());
  store<i32>(best + ((<usize>(end - 1)) << 2), label);
  for (let t = end - 1; t > first; t -= 1) {
    const before = delta + <usize>(t - 1) * rowBytes;
    label = topOfSum<T>(before, transposed + <usize>label * rowBytes, rowBytes);
    store<i32>(best + ((<usize>(t - 1)) << 2), label);
  }
  return score;
}

/** The largest of the sums over the entries of each label, in the workplace of the lists. */
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

/** Lanes past the labels never win. */
// @ts-expect-error: decorator
@inline
function closeRow<T>(row: usize, labels: i32, width: i32): void {
  for (let y = labels; y < width; y += 1) store<T>(row + <usize>y * sizeof<T>(), <T>-Infinity);
}

/** Number of the largest in a row, the lowest of equal ones. */
function topOf<T>(row: usize, rowBytes: usize): i32 {
  let a = v128.load(row), b = a, c = a, d = a;
  let i: usize = 0;
  for (; i + 64 <= rowBytes; i += 64) {
    a = v128.pmax<T>(a, v128.load(row + i));
    b = v128.pmax<T>(b, v128.load(row + i, 16));
    c = v128.pmax<T>(c, v128.load(row + i, 32));
    d = v128.pmax<T>(d, v128.load(row + i, 48));
  }
  for (; i < rowBytes; i += 16) a = v128.pmax<T>(a, v128.load(row + i));
  const top = v128.splat<T>(maxOf<T>(v128.pmax<T>(v128.pmax<T>(a, b), v128.pmax<T>(c, d))));
  for (let at: usize = 0; at < rowBytes; at += 16) {
    const found = bitsOf<T>(v128.eq<T>(v128.load(row + at), top));
    if (found != 0) return <i32>(at / sizeof<T>()) + <i32>ctz<i32>(found);
  }
  return 0;
}

/** Largest of x + y in a row. */
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

/** Number of the largest of x + y in a row, the lowest of equal ones. */
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
 * For each label the columns whose transition from it is below 0 and that start from the best label, one
 * after the other at `targets`; at `negatives` the address of the first, and after the last label the end.
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
