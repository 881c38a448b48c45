import { log } from './log';
import { laneMask, lanes, minOf, sumOf } from './vectors';

/** Below this share of what it started from, a sum has cancelled too much of it. */
const leastShare = 0.0625;

/**
 * out(y) = base + sum over the entries (y', y) of vector(y') weight, or the sum alone in explicit columns;
 * where that cancels, the dense row of column y at `dense` takes its place.
 */
// @ts-expect-error: decorator
@inline
function gather<T>(
  out: usize,
  vector: usize,
  lists: usize,
  base: T,
  dense: usize,
  labels: i32,
  width: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  fill<T>(out, base, labels, width);
  let column = load<usize>(lists, 12) + (<usize>load<u32>(lists, 28) << 2);
  let other = load<usize>(lists, 20);
  let weight = load<usize>(lists, 24);
  // Columns with few entries come in runs of equally many, without a loop over their entries.
  let end = column + (<usize>load<u32>(lists, 32) << 2);
  for (; column < end; column += 4) {
    store<T>(out + load<u32>(column), base + term<T>(vector, other, weight, 0));
    other += 4;
    weight += sizeof<T>();
  }
  end += <usize>load<u32>(lists, 36) << 2;
  for (; column < end; column += 4) {
    const sum = term<T>(vector, other, weight, 0) + term<T>(vector, other, weight, 1);
    store<T>(out + load<u32>(column), base + sum);
    other += 8;
    weight += 2 * sizeof<T>();
  }
  end += <usize>load<u32>(lists, 40) << 2;
  for (; column < end; column += 4) {
    const sum = term<T>(vector, other, weight, 0) + term<T>(vector, other, weight, 1);
    store<T>(out + load<u32>(column), base + term<T>(vector, other, weight, 2) + sum);
    other += 12;
    weight += 3 * sizeof<T>();
  }
  end += <usize>load<u32>(lists, 44) << 2;
  for (; column < end; column += 4) {
    const a = term<T>(vector, other, weight, 0) + term<T>(vector, other, weight, 1);
    const b = term<T>(vector, other, weight, 2) + term<T>(vector, other, weight, 3);
    store<T>(out + load<u32>(column), base + (a + b));
    other += 16;
    weight += 4 * sizeof<T>();
  }
  const columns = load<usize>(lists, 12);
  let count = load<usize>(lists, 16) + (column - columns);
  end = columns + (<usize>load<u32>(lists) << 2);
  for (; column < end; column += 4) {
    const entries = <usize>load<u32>(count);
    store<T>(out + load<u32>(column), base + sumOfTerms<T>(vector, other, weight, entries));
    other += entries << 2;
    weight += entries * sizeof<T>();
    count += 4;
  }
  end += <usize>load<u32>(lists, 4) << 2;
  const least = base * <T>leastShare;
  for (; column < end; column += 4) {
    const entries = <usize>load<u32>(count);
    const at = <usize>load<u32>(column);
    let sum = base + sumOfTerms<T>(vector, other, weight, entries);
    if (!(sum >= least)) sum = product<T>(vector, dense + at * <usize>width, rowBytes);
    store<T>(out + at, sum);
    other += entries << 2;
    weight += entries * sizeof<T>();
    count += 4;
  }
  end += <usize>load<u32>(lists, 8) << 2;
  for (; column < end; column += 4) {
    const entries = <usize>load<u32>(count);
    store<T>(out + load<u32>(column), sumOfTerms<T>(vector, other, weight, entries));
    other += entries << 2;
    weight += entries * sizeof<T>();
    count += 4;
  }
}

/** The product of an entry, `next` after the one at `other`. */
// @ts-expect-error: decorator
@inline
function term<T>(vector: usize, other: usize, weight: usize, next: usize): T {
  return load<T>(vector + load<u32>(other + (next << 2))) * load<T>(weight + next * sizeof<T>());
}

/** The sum of the products of some entries. */
// @ts-expect-error: decorator
@inline
function sumOfTerms<T>(vector: usize, other: usize, weight: usize, entries: usize): T {
  let a: T = 0;
  let b: T = 0;
  const stop = other + (entries << 2);
  while (other + 4 < stop) {
    a += term<T>(vector, other, weight, 0);
    b += term<T>(vector, other, weight, 1);
    other += 8;
    weight += 2 * sizeof<T>();
  }
  if (other < stop) a += term<T>(vector, other, weight, 0);
  return a + b;
}

/** out = value for all labels, 0 in the lanes past them. */
// @ts-expect-error: decorator
@inline
function fill<T>(out: usize, value: T, labels: i32, width: i32): void {
  const values = v128.splat<T>(value);
  const end = out + <usize>labels * sizeof<T>();
  for (let at = out; at < end; at += 16) v128.store(at, values);
  for (let y = labels; y < width; y += 1) store<T>(out + <usize>y * sizeof<T>(), 0);
}

/** Sum of x y over a row. */
function product<T>(x: usize, y: usize, rowBytes: usize): T {
  let total = v128.splat<T>(0);
  for (let at: usize = 0; at < rowBytes; at += 16) {
    total = v128.add<T>(total, v128.mul<T>(v128.load(x + at), v128.load(y + at)));
  }
  return sumOf<T>(total);
}

/** `forward` by lists; see reference/forward-backward-sparse.ts. `transposed` are the exponentials by target. */
export function forwardSparse<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  lists: usize,
  transposed: usize,
  base: T,
  transitionMaximum: T,
  leastValue: T,
  leastScale: T,
  closedEnds: i32,
): f64 {
  const rowBytes = <usize>width * sizeof<T>();
  const wholeBytes = (<usize>labels * sizeof<T>()) & ~15;
  const infinite = v128.splat<T>(<T>Infinity);
  let logZ: f64 = <f64>transitionMaximum * <f64>(end - first - 1);
  let product: f64 = 1;
  for (let t = first; t < end; t += 1) {
    const row = alpha + <usize>t * rowBytes;
    const emission = emissions + <usize>t * rowBytes;
    // The forward vector before sums to 1.
    if (t > first) gather<T>(row, row - rowBytes, lists, base, transposed, labels, width);
    else fill<T>(row, 1, labels, width);
    let a = v128.splat<T>(0), b = a, c = a, d = a;
    let least = infinite;
    let other = infinite;
    let at: usize = 0;
    // Four sums at a time: with one, each addition would wait for the one before.
    for (; at + 64 <= wholeBytes; at += 64) {
      const i = v128.mul<T>(v128.load(emission + at), v128.load(row + at));
      const j = v128.mul<T>(v128.load(emission + at, 16), v128.load(row + at, 16));
      const k = v128.mul<T>(v128.load(emission + at, 32), v128.load(row + at, 32));
      const l = v128.mul<T>(v128.load(emission + at, 48), v128.load(row + at, 48));
      v128.store(row + at, i);
      v128.store(row + at, j, 16);
      v128.store(row + at, k, 32);
      v128.store(row + at, l, 48);
      a = v128.add<T>(a, i);
      b = v128.add<T>(b, j);
      c = v128.add<T>(c, k);
      d = v128.add<T>(d, l);
      least = v128.pmin<T>(v128.pmin<T>(i, j), least);
      other = v128.pmin<T>(v128.pmin<T>(k, l), other);
    }
    for (; at < rowBytes; at += 16) {
      const value = v128.mul<T>(v128.load(emission + at), v128.load(row + at));
      v128.store(row + at, value);
      a = v128.add<T>(a, value);
      const mask = laneMask<T>(<i32>(at / sizeof<T>()), labels);
      least = v128.pmin<T>(v128.bitselect(value, infinite, mask), least);
    }
    const total = v128.add<T>(v128.add<T>(a, b), v128.add<T>(c, d));
    least = v128.pmin<T>(least, other);
    const scale = sumOf<T>(total);
    const isSafe = minOf<T>(least) >= leastValue || (closedEnds != 0 && (t == first || t == end - 1));
    if (!(scale >= leastScale && scale < <T>Infinity && isSafe)) return NaN;
    const inverse = v128.splat<T>(<T>1 / scale);
    for (at = 0; at < rowBytes; at += 16) {
      v128.store(row + at, v128.mul<T>(v128.load(row + at), inverse));
    }
    store<T>(scales + <usize>t * sizeof<T>(), scale);
    logZ += <f64>load<T>(emissionMaxima + <usize>t * sizeof<T>());
    product *= <f64>scale;
    if (product < 1e-200 || product > 1e200) {
      logZ += log(product);
      product = 1;
    }
  }
  return logZ + log(product);
}

/** `backward` by lists, but for the sums of edge marginals; `nodes` holds g_t afterwards: see `finishNodes`. */
export function backwardSparse<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  lists: usize,
  transitions: usize,
  base: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const last = beta + <usize>(end - 1) * rowBytes;
  for (let column = 0; column < width; column += lanes<T>()) {
    const ones = v128.and(v128.splat<T>(1), laneMask<T>(column, labels));
    v128.store(last + <usize>column * sizeof<T>(), ones);
  }
  for (let t = end - 1; t > first; t -= 1) {
    const row = beta + <usize>t * rowBytes;
    const before = row - rowBytes;
    const emission = emissions + <usize>t * rowBytes;
    const outgoing = nodes + <usize>t * rowBytes;
    const inverse = v128.splat<T>(<T>1 / load<T>(scales + <usize>t * sizeof<T>()));
    let a = v128.splat<T>(0), b = a, c = a, d = a;
    let at: usize = 0;
    for (; at + 64 <= rowBytes; at += 64) {
      const i = scaled<T>(emission + at, row + at, inverse);
      const j = scaled<T>(emission + at + 16, row + at + 16, inverse);
      const k = scaled<T>(emission + at + 32, row + at + 32, inverse);
      const l = scaled<T>(emission + at + 48, row + at + 48, inverse);
      v128.store(outgoing + at, i);
      v128.store(outgoing + at, j, 16);
      v128.store(outgoing + at, k, 32);
      v128.store(outgoing + at, l, 48);
      a = v128.add<T>(a, i);
      b = v128.add<T>(b, j);
      c = v128.add<T>(c, k);
      d = v128.add<T>(d, l);
    }
    for (; at < rowBytes; at += 16) {
      const value = scaled<T>(emission + at, row + at, inverse);
      v128.store(outgoing + at, value);
      a = v128.add<T>(a, value);
    }
    const total = v128.add<T>(v128.add<T>(a, b), v128.add<T>(c, d));
    gather<T>(before, outgoing, lists, base * sumOf<T>(total), transitions, labels, width);
  }
}

// @ts-expect-error: decorator
@inline
function scaled<T>(x: usize, y: usize, factor: v128): v128 {
  return v128.mul<T>(v128.mul<T>(v128.load(x), v128.load(y)), factor);
}

/** p(y_t = y) = alpha_t(y) beta_t(y); false where a value of beta says that it was not safe. */
export function finishNodes<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  leastValue: T,
): bool {
  const rowBytes = <usize>width * sizeof<T>();
  const wholeBytes = (<usize>labels * sizeof<T>()) & ~15;
  const lower = v128.splat<T>(leastValue);
  const upper = v128.splat<T>(<T>Infinity);
  let safe = v128.eq<T>(upper, upper);
  for (let t = first; t < end; t += 1) {
    const row = <usize>t * rowBytes;
    const stop = row + wholeBytes;
    let at = row;
    for (; at < stop; at += 16) {
      const value = v128.load(beta + at);
      v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at), value));
      safe = v128.and(safe, v128.and(v128.ge<T>(value, lower), v128.lt<T>(value, upper)));
    }
    for (; at < row + rowBytes; at += 16) {
      const value = v128.load(beta + at);
      v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at), value));
      const inside = v128.and(v128.ge<T>(value, lower), v128.lt<T>(value, upper));
      const column = <i32>((at - row) / sizeof<T>());
      safe = v128.and(safe, v128.or(inside, v128.not(laneMask<T>(column, labels))));
    }
  }
  return v128.all_true<i32>(safe);
}

/**
 * The sums of edge marginals in some vectors of the matrix only, zeros elsewhere. At `blocks`, row by row:
 * how many vectors there are, and where they are in the row.
 */
export function sumBlocks<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  blocks: usize,
  sums: usize,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  memory.fill(sums, 0, <usize>labels * rowBytes);
  const masses = alpha + <usize>first * rowBytes;
  const rows = outgoing + <usize>(first + 1) * rowBytes;
  const stop = outgoing + <usize>end * rowBytes;
  for (let from = 0; from < labels; from += 1) {
    let left = load<i32>(blocks);
    blocks += 4;
    const matrixRow = <usize>from * rowBytes;
    const start = masses + <usize>from * sizeof<T>();
    for (; left >= 4; left -= 4) {
      const i = <usize>load<u32>(blocks);
      const j = <usize>load<u32>(blocks, 4);
      const k = <usize>load<u32>(blocks, 8);
      const l = <usize>load<u32>(blocks, 12);
      let a = v128.splat<T>(0), b = a, c = a, d = a;
      let mass = start;
      for (let row = rows; row < stop; row += rowBytes) {
        const x = v128.splat<T>(load<T>(mass));
        a = v128.add<T>(a, v128.mul<T>(x, v128.load(row + i)));
        b = v128.add<T>(b, v128.mul<T>(x, v128.load(row + j)));
        c = v128.add<T>(c, v128.mul<T>(x, v128.load(row + k)));
        d = v128.add<T>(d, v128.mul<T>(x, v128.load(row + l)));
        mass += rowBytes;
      }
      finishBlock<T>(sums, transitions, matrixRow + i, a);
      finishBlock<T>(sums, transitions, matrixRow + j, b);
      finishBlock<T>(sums, transitions, matrixRow + k, c);
      finishBlock<T>(sums, transitions, matrixRow + l, d);
      blocks += 16;
    }
    for (; left >= 2; left -= 2) {
      const i = <usize>load<u32>(blocks);
      const j = <usize>load<u32>(blocks, 4);
      let a = v128.splat<T>(0), b = a;
      let mass = start;
      for (let row = rows; row < stop; row += rowBytes) {
        const x = v128.splat<T>(load<T>(mass));
        a = v128.add<T>(a, v128.mul<T>(x, v128.load(row + i)));
        b = v128.add<T>(b, v128.mul<T>(x, v128.load(row + j)));
        mass += rowBytes;
      }
      finishBlock<T>(sums, transitions, matrixRow + i, a);
      finishBlock<T>(sums, transitions, matrixRow + j, b);
      blocks += 8;
    }
    if (left == 1) {
      const i = <usize>load<u32>(blocks);
      let a = v128.splat<T>(0);
      let mass = start;
      for (let row = rows; row < stop; row += rowBytes) {
        a = v128.add<T>(a, v128.mul<T>(v128.splat<T>(load<T>(mass)), v128.load(row + i)));
        mass += rowBytes;
      }
      finishBlock<T>(sums, transitions, matrixRow + i, a);
      blocks += 4;
    }
  }
}

// @ts-expect-error: decorator
@inline
function finishBlock<T>(sums: usize, transitions: usize, at: usize, sum: v128): void {
  v128.store(sums + at, v128.mul<T>(sum, v128.load(transitions + at)));
}
