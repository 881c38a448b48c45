import { isZero } from './vectors';

/** Computes out[y] += value * weight for the labels y of some consecutive pairs. */
// @ts-expect-error: decorator
@inline
function addRun<T>(out: usize, weights: usize, count: usize, value: T, isScaled: bool): void {
  const factor = v128.splat<T>(value);
  const bytes = count * sizeof<T>();
  let at: usize = 0;
  for (; at + 16 <= bytes; at += 16) {
    let own = v128.load(weights + at);
    if (isScaled) own = v128.mul<T>(factor, own);
    v128.store(out + at, v128.add<T>(v128.load(out + at), own));
  }
  for (; at < bytes; at += sizeof<T>()) {
    let own = load<T>(weights + at);
    if (isScaled) own = <T>(value * own);
    store<T>(out + at, <T>(load<T>(out + at) + own));
  }
}

/**
 * Reads the first pair of each feature of a token, so that the waits for memory overlap: the loop that adds them ends
 * unpredictably, and would wait for one feature after another. Returns a number, so that the reads are not left out.
 */
// @ts-expect-error: decorator
@inline
function touch(
  weights: usize,
  pairStarts: usize,
  pairLabels: usize,
  rows: usize,
  count: u32,
  bytes: usize,
): u32 {
  let read: u32 = 0;
  for (let k: usize = 0; k < <usize>count; k += 1) {
    const pairs = pairStarts + ((<usize>load<u32>(rows + (k << 2))) << 2);
    const begin = <usize>load<u32>(pairs);
    if (begin == <usize>load<u32>(pairs, 4)) continue;
    read += <u32>load<u16>(pairLabels + (begin << 1)) + load<u32>(weights + begin * bytes);
  }
  return read;
}

/**
 * Computes e_t = scale * sum over the pairs of the token's features of value * weight: feature `r` has the places
 * [pairStarts[r], pairStarts[r + 1]) of `weights`, each with a 16-bit label. `values` is 0 if all are 1.
 */
export function scoreStatePairs<T>(
  scores: usize,
  weights: usize,
  pairStarts: usize,
  pairLabels: usize,
  starts: usize,
  rows: usize,
  values: usize,
  tokens: i32,
  width: i32,
  scale: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const factor = v128.splat<T>(scale);
  for (let t = 0; t < tokens; t += 1) {
    const from = load<u32>(starts + ((<usize>t) << 2));
    const to = load<u32>(starts + ((<usize>t) << 2), 4);
    const out = scores + <usize>t * rowBytes;
    if (from < to) {
      const own = rows + ((<usize>from) << 2);
      store<u32>(out, touch(weights, pairStarts, pairLabels, own, to - from, sizeof<T>()));
    }
    memory.fill(out, 0, rowBytes);
    for (let k = from; k < to; k += 1) {
      const pairs = pairStarts + ((<usize>load<u32>(rows + ((<usize>k) << 2))) << 2);
      const begin = <usize>load<u32>(pairs);
      const end = <usize>load<u32>(pairs, 4);
      const count = end - begin;
      if (count == 0) continue;
      const first = <usize>load<u16>(pairLabels + (begin << 1));
      if (<usize>load<u16>(pairLabels + ((end - 1) << 1)) - first == count - 1) {
        const value = values == 0 ? <T>1 : <T>load<f64>(values + ((<usize>k) << 3));
        const run = weights + begin * sizeof<T>();
        addRun<T>(out + first * sizeof<T>(), run, count, value, values != 0);
      } else if (values == 0) {
        for (let i = begin; i < end; i += 1) {
          const at = out + <usize>load<u16>(pairLabels + (i << 1)) * sizeof<T>();
          store<T>(at, load<T>(at) + load<T>(weights + i * sizeof<T>()));
        }
      } else {
        const value = <T>load<f64>(values + ((<usize>k) << 3));
        for (let i = begin; i < end; i += 1) {
          const at = out + <usize>load<u16>(pairLabels + (i << 1)) * sizeof<T>();
          store<T>(at, load<T>(at) + value * load<T>(weights + i * sizeof<T>()));
        }
      }
    }
    if (from == to || scale == <T>1) continue;
    for (let column: usize = 0; column < rowBytes; column += 16) {
      v128.store(out + column, v128.mul<T>(v128.load(out + column), factor));
    }
  }
}

/** Computes table += factor * value * residual[t] at the pairs of every active feature of tokens [first, end). */
export function accumulateStatePairs<T>(
  table: usize,
  residual: usize,
  pairStarts: usize,
  pairLabels: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let t = first; t < end; t += 1) {
    const from = load<u32>(starts + ((<usize>t) << 2));
    const to = load<u32>(starts + ((<usize>t) << 2), 4);
    const source = residual + <usize>t * rowBytes;
    if (isZero(source, rowBytes)) continue;
    for (let k = from; k < to; k += 1) {
      const pairs = pairStarts + ((<usize>load<u32>(rows + ((<usize>k) << 2))) << 2);
      const last = <usize>load<u32>(pairs, 4);
      let step = factor;
      if (values != 0) step *= <T>load<f64>(values + ((<usize>k) << 3));
      for (let i = <usize>load<u32>(pairs); i < last; i += 1) {
        const own = load<T>(source + <usize>load<u16>(pairLabels + (i << 1)) * sizeof<T>());
        // Pruned labels have a residual of 0.
        if (own == 0) continue;
        const at = table + i * sizeof<T>();
        store<T>(at, load<T>(at) + step * own);
      }
    }
  }
}
