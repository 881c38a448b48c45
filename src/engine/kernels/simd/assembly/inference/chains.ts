// Chains of label pairs, packed one after the other: a pair and the slot of its weight, one word each.

/**
 * Returns a bit for each of the four entries from index k on whose pair, shifted right and masked, is `half`; no bit
 * from `count` on. May read three words past the end.
 */
// @ts-expect-error: decorator
@inline
export function matching(pairs: usize, k: usize, count: usize, shift: i32, mask: i32, half: i32): i32 {
  const four = i32x4.shr_u(v128.load(pairs + (k << 2)), shift);
  const found = i32x4.bitmask(i32x4.eq(v128.and(four, i32x4.splat(mask)), i32x4.splat(half)));
  const left = <i32>(count - k);
  return left >= 4 ? found : found & ((1 << left) - 1);
}

/** Returns the index of a pair's entry, or -1. */
export function findPair(pairs: usize, from: i32, to: i32, pair: i32): i32 {
  for (let k = <usize>from; k < <usize>to; k += 4) {
    const found = matching(pairs, k, to, 0, -1, pair);
    if (found != 0) return <i32>k + ctz<i32>(found);
  }
  return -1;
}

/**
 * Lists the pairs [from, to) of packed chains, with `value` times their weights as scores, after the first `n` entries;
 * adds to the score of a pair already listed for the token, from entry `start` on (never if `marks` is 0). Returns the
 * number of entries. Arithmetic is float64 and results are rounded, as in the reference.
 */
export function listChain<T>(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  weights: usize,
  value: f64,
  n: i32,
  start: i32,
  pairs: usize,
  scores: usize,
  marks: usize,
  epoch: i32,
  width: i32,
): i32 {
  for (let k = <usize>from; k < <usize>to; k += 1) {
    const pair = load<u32>(packedPairs + (k << 2));
    const slot = <usize>load<u32>(packedSlots + (k << 2));
    const score = value * <f64>load<T>(weights + slot * sizeof<T>());
    if (marks != 0) {
      const mark = marks + (<usize>((pair & 0xffff) * <u32>width + (pair >> 16)) << 2);
      const found = load<i32>(mark) - epoch;
      if (found >= start) {
        const at = scores + <usize>found * sizeof<T>();
        store<T>(at, <T>(<f64>load<T>(at) + score));
        continue;
      }
      store<i32>(mark, epoch + n);
    }
    store<u32>(pairs + (<usize>n << 2), pair);
    store<T>(scores + <usize>n * sizeof<T>(), <T>score);
    n += 1;
  }
  return n;
}

/** Adds `step` times the residuals of the pairs [from, to), read from the cells of a matrix, to the pairs' slots. */
export function addChain<T, P>(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  numbers: usize,
  matrix: usize,
  width: i32,
  step: f64,
): void {
  for (let k = <usize>from; k < <usize>to; k += 1) {
    const pair = load<u32>(packedPairs + (k << 2));
    const cell = <usize>((pair & 0xffff) * <u32>width + (pair >> 16));
    const at = numbers + <usize>load<u32>(packedSlots + (k << 2)) * sizeof<P>();
    store<P>(at, <P>(<f64>load<P>(at) + step * <f64>load<T>(matrix + cell * sizeof<T>())));
  }
}

/** Does the same as `addChain`, for residuals in float32 and sums in float64. */
export function addChainInFloat64(
  from: i32,
  to: i32,
  packedPairs: usize,
  packedSlots: usize,
  numbers: usize,
  matrix: usize,
  width: i32,
  step: f64,
): void {
  addChain<f32, f64>(from, to, packedPairs, packedSlots, numbers, matrix, width, step);
}
