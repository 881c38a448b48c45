import { exp } from './exp';
import { laneMask, lanes, maxOf } from './vectors';

/** exps = exp(scores - maximum of the row) for `rows` rows; lanes past the labels become 0. */
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

/** exps = exp(scores - maximum of the matrix); returns the maximum. */
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
  let best = least;
  for (let column = 0; column < width; column += lanes<T>()) {
    const score = v128.load(row + <usize>column * sizeof<T>());
    best = v128.max<T>(best, v128.bitselect(score, least, laneMask<T>(column, labels)));
  }
  return maxOf<T>(best);
}

// @ts-expect-error: decorator
@inline
function expRow<T>(row: usize, out: usize, maximum: T, labels: i32, width: i32): void {
  const shift = v128.splat<T>(maximum);
  for (let column = 0; column < width; column += lanes<T>()) {
    const at = <usize>column * sizeof<T>();
    const value = exp<T>(v128.sub<T>(v128.load(row + at), shift));
    v128.store(out + at, v128.and(value, laneMask<T>(column, labels)));
  }
}
