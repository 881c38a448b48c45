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
  const begin = <usize>first * rowBytes;
  memory.copy(delta + begin, scores + begin, rowBytes);
  closeRow<T>(delta + begin, labels, width);
  for (let t = first + 1; t < end; t += 1) {
    const row = delta + <usize>t * rowBytes;
    const before = row - rowBytes;
    const top = topOf<T>(before, rowBytes);
    const most = load<T>(before + <usize>top * sizeof<T>());
    gatherLargest<T>(row, before, lists, most, rowBytes);
    // From the best label one may not get there for nothing: the others have to be looked at.
    let target = load<usize>(negatives + (<usize>top << 2));
    const stop = load<usize>(negatives + (<usize>top << 2), 4);
    for (; target < stop; target += 4) {
      const at = <usize>load<u32>(target);
      store<T>(row + at, bestSum<T>(before, transposed + at * <usize>width, rowBytes));
    }
    const add = scores + <usize>t * rowBytes;
    for (let at: usize = 0; at < rowBytes; at += 16) {
      v128.store(row + at, v128.add<T>(v128.load(row + at), v128.load(add + at)));
    }
    closeRow<T>(row, labels, width);
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

/**
 * out(y) = the largest of `most` and of vector(y') + score(y', y) over the entries; of the entries alone in
 * explicit columns.
 */
// @ts-expect-error: decorator
@inline
function gatherLargest<T>(out: usize, vector: usize, lists: usize, most: T, rowBytes: usize): void {
  const from = v128.splat<T>(most);
  for (let at: usize = 0; at < rowBytes; at += 16) v128.store(out + at, from);
  let column = load<usize>(lists, 12) + (<usize>load<u32>(lists, 28) << 2);
  let other = load<usize>(lists, 20);
  let weight = load<usize>(lists, 24);
  let end = column + (<usize>load<u32>(lists, 32) << 2);
  for (; column < end; column += 4) {
    storeLane<T>(out + load<u32>(column), v128.pmax<T>(from, sumAt<T>(vector, other, weight, 0)));
    other += 4;
    weight += sizeof<T>();
  }
  end += <usize>load<u32>(lists, 36) << 2;
  for (; column < end; column += 4) {
    const a = v128.pmax<T>(from, sumAt<T>(vector, other, weight, 0));
    storeLane<T>(out + load<u32>(column), v128.pmax<T>(a, sumAt<T>(vector, other, weight, 1)));
    other += 8;
    weight += 2 * sizeof<T>();
  }
  end += <usize>load<u32>(lists, 40) << 2;
  for (; column < end; column += 4) {
    const a = v128.pmax<T>(from, sumAt<T>(vector, other, weight, 0));
    const b = v128.pmax<T>(
      sumAt<T>(vector, other, weight, 1),
      sumAt<T>(vector, other, weight, 2),
    );
    storeLane<T>(out + load<u32>(column), v128.pmax<T>(a, b));
    other += 12;
    weight += 3 * sizeof<T>();
  }
  const columns = load<usize>(lists, 12);
  let count = load<usize>(lists, 16) + (column - columns);
  end = columns + (<usize>load<u32>(lists) << 2);
  for (; column < end; column += 4) {
    const entries = <usize>load<u32>(count);
    storeLane<T>(out + load<u32>(column), largest<T>(vector, other, weight, entries, from));
    other += entries << 2;
    weight += entries * sizeof<T>();
    count += 4;
  }
  end += <usize>load<u32>(lists, 8) << 2;
  const least = v128.splat<T>(<T>-Infinity);
  for (; column < end; column += 4) {
    const entries = <usize>load<u32>(count);
    storeLane<T>(out + load<u32>(column), largest<T>(vector, other, weight, entries, least));
    other += entries << 2;
    weight += entries * sizeof<T>();
    count += 4;
  }
}

/** The largest of `from` and the sums of some entries, in the first lane. */
// @ts-expect-error: decorator
@inline
function largest<T>(vector: usize, other: usize, weight: usize, entries: usize, from: v128): v128 {
  let a = from;
  let b = from;
  const stop = other + (entries << 2);
  while (other + 4 < stop) {
    a = v128.pmax<T>(a, sumAt<T>(vector, other, weight, 0));
    b = v128.pmax<T>(b, sumAt<T>(vector, other, weight, 1));
    other += 8;
    weight += 2 * sizeof<T>();
  }
  if (other < stop) a = v128.pmax<T>(a, sumAt<T>(vector, other, weight, 0));
  return v128.pmax<T>(a, b);
}

/** The sum of an entry, `next` after the one at `other`, in the first lane. */
// @ts-expect-error: decorator
@inline
function sumAt<T>(vector: usize, other: usize, weight: usize, next: usize): v128 {
  const x = loadLane<T>(vector + load<u32>(other + (next << 2)));
  return v128.add<T>(x, loadLane<T>(weight + next * sizeof<T>()));
}

// @ts-expect-error: decorator
@inline
function loadLane<T>(at: usize): v128 {
  return sizeof<T>() == 4 ? v128.load32_zero(at) : v128.load64_zero(at);
}

// @ts-expect-error: decorator
@inline
function storeLane<T>(at: usize, v: v128): void {
  v128.store_lane<T>(at, v, 0);
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
  explicit: usize,
  scores: usize,
  labels: i32,
  width: i32,
): void {
  for (let from = 0; from < labels; from += 1) {
    store<usize>(negatives + (<usize>from << 2), targets);
    for (let to = 0; to < labels; to += 1) {
      const score = load<T>(scores + <usize>(from * width + to) * sizeof<T>());
      if (!(score < 0) || load<u8>(explicit + <usize>to) != 0) continue;
      store<u32>(targets, to * <i32>sizeof<T>());
      targets += 4;
    }
  }
  store<usize>(negatives + (<usize>labels << 2), targets);
}

/** explicit[y] = 1 for the columns whose lists stand for all entries, else 0. */
export function markExplicit<T>(explicit: usize, lists: usize): void {
  const based = load<i32>(lists) + load<i32>(lists, 4);
  const count = load<i32>(lists, 8);
  let column = load<usize>(lists, 12);
  for (let c = 0; c < based + count; c += 1) {
    store<u8>(explicit + <usize>load<u32>(column) / sizeof<T>(), u8(c >= based));
    column += 4;
  }
}
