import { bitsOf } from '../vectors';

/** Returns the number of nonzero entries in `labels` rows; lanes past the labels are zero. */
export function countNonZeros<T>(matrix: usize, labels: i32, width: i32): i32 {
  const end = matrix + <usize>(labels * width) * sizeof<T>();
  const zero = v128.splat<T>(0);
  let count = 0;
  for (let at = matrix; at < end; at += 16) {
    count += popcnt<i32>(bitsOf<T>(v128.ne<T>(v128.load(at), zero)));
  }
  return count;
}
/**
 * Returns whether more than `limit` numbers are neither 0 nor minus infinity; stops as soon as this
 * is certain.
 */
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

/**
 * Returns the number of entries in `labels` rows that are not minus infinity, without lanes past
 * the labels.
 */
export function countFinite<T>(matrix: usize, labels: i32, width: i32): i32 {
  const end = matrix + <usize>(labels * width) * sizeof<T>();
  const least = v128.splat<T>(<T>-Infinity);
  let count = -labels * (width - labels);
  for (let at = matrix; at < end; at += 16) {
    count += popcnt<i32>(bitsOf<T>(v128.ne<T>(v128.load(at), least)));
  }
  return count;
}

/** Returns whether two tables of `bytes` bytes, a multiple of a vector, are bit-identical. */
export function sameBits(a: usize, b: usize, bytes: usize): bool {
  for (let at: usize = 0; at < bytes; at += 16) {
    if (v128.any_true(v128.xor(v128.load(a + at), v128.load(b + at)))) return false;
  }
  return true;
}

/** Computes out = the transposed matrix; lanes of `out` past the last label are `rest`. */
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
