import { exp } from './exp';
import { laneMask, lanes, maxOf } from './vectors';

/**
 * Computes exps = exp(scores - maximum of the row) for `rows` rows; lanes past the labels become 0.
 */
export function exponentiateRows<T>(
  scores: usize,
  exps: usize,
  maxima: usize,
  rows: i32,
  labels: i32,
  width: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let t = 0; t < rows; t += 1) {
    const row = scores + <usize>t * rowBytes;
    const maximum = maximumOfRow<T>(row, labels, width);
    store<T>(maxima + <usize>t * sizeof<T>(), maximum);
    expRow<T>(row, exps + <usize>t * rowBytes, maximum, labels, width);
  }
}

/** Computes exps = exp(scores - maximum of the matrix); returns the maximum. */
export function exponentiateMatrix<T>(scores: usize, exps: usize, labels: i32, width: i32): T {
  const rowBytes = <usize>width * sizeof<T>();
  let maximum: T = maximumOfRow<T>(scores, labels, width);
  for (let y = 1; y < labels; y += 1) {
    maximum = max<T>(maximum, maximumOfRow<T>(scores + <usize>y * rowBytes, labels, width));
  }
  for (let y = 0; y < labels; y += 1) {
    const row = <usize>y * rowBytes;
    expRow<T>(scores + row, exps + row, maximum, labels, width);
  }
  return maximum;
}

// @ts-expect-error: decorator
@inline
function maximumOfRow<T>(row: usize, labels: i32, width: i32): T {
  const least = v128.splat<T>(<T>-Infinity);
  const whole = labels & -lanes<T>();
  let best = least;
  for (let column = 0; column < whole; column += lanes<T>()) {
    best = v128.pmax<T>(best, v128.load(row + <usize>column * sizeof<T>()));
  }
  if (whole < labels) {
    const scores = v128.load(row + <usize>whole * sizeof<T>());
    best = v128.pmax<T>(best, v128.bitselect(scores, least, laneMask<T>(whole, labels)));
  }
  return maxOf<T>(best);
}

/** Four vectors at a time, because each operation on one waits for the previous one. */
// @ts-expect-error: decorator
@inline
function expRow<T>(row: usize, out: usize, maximum: T, labels: i32, width: i32): void {
  const shift = v128.splat<T>(maximum);
  const end = <usize>width * sizeof<T>();
  let at: usize = 0;
  for (; at + 64 <= end; at += 64) {
    const a = exp<T>(v128.sub<T>(v128.load(row + at), shift));
    const b = exp<T>(v128.sub<T>(v128.load(row + at, 16), shift));
    const c = exp<T>(v128.sub<T>(v128.load(row + at, 32), shift));
    const d = exp<T>(v128.sub<T>(v128.load(row + at, 48), shift));
    v128.store(out + at, a);
    v128.store(out + at, b, 16);
    v128.store(out + at, c, 32);
    v128.store(out + at, d, 48);
  }
  for (; at + 32 <= end; at += 32) {
    const a = exp<T>(v128.sub<T>(v128.load(row + at), shift));
    const b = exp<T>(v128.sub<T>(v128.load(row + at, 16), shift));
    v128.store(out + at, a);
    v128.store(out + at, b, 16);
  }
  if (at < end) v128.store(out + at, exp<T>(v128.sub<T>(v128.load(row + at), shift)));
  for (let column = labels & -lanes<T>(); column < width; column += lanes<T>()) {
    const past = out + <usize>column * sizeof<T>();
    v128.store(past, v128.and(v128.load(past), laneMask<T>(column, labels)));
  }
}
