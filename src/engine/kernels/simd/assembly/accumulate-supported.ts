import { isZero, laneBits, lanes } from './vectors';

/** Maximum number of a feature's pairs to update one by one. */
const few: i32 = 3;

/**
 * Computes rows += factor * value * residual[t] for every active feature of tokens [first, end), at the labels whose
 * bits are set: feature `r` has `words` words from `support + 4 * words * r` on, with one bit per label, lowest
 * first.
 */
export function accumulateSupported<T>(
  table: usize,
  residual: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: T,
  support: usize,
  words: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const wordBytes = (<usize>words) << 2;
  for (let t = first; t < end; t += 1) {
    const to = load<u32>(starts + ((<usize>(t + 1)) << 2));
    const source = residual + <usize>t * rowBytes;
    if (isZero(source, rowBytes)) continue;
    for (let k = load<u32>(starts + ((<usize>t) << 2)); k < to; k += 1) {
      const feature = <usize>load<u32>(rows + ((<usize>k) << 2));
      let step = factor;
      if (values != 0) step *= <T>load<f64>(values + ((<usize>k) << 3));
      const row = table + feature * rowBytes;
      for (let word = 0; word < words; word += 1) {
        const bits = load<u32>(support + feature * wordBytes + ((<usize>word) << 2));
        const at = (<usize>word << 5) * sizeof<T>();
        if (popcnt<i32>(bits) <= few) addEach<T>(row + at, source + at, step, bits);
        else addVectors<T>(row + at, source + at, step, bits, min<i32>(32, width - (word << 5)));
      }
    }
  }
}

// @ts-expect-error: decorator
@inline
function addEach<T>(row: usize, source: usize, step: T, bits: u32): void {
  for (; bits != 0; bits &= bits - 1) {
    const at = <usize>ctz<u32>(bits) * sizeof<T>();
    store<T>(row + at, load<T>(row + at) + step * load<T>(source + at));
  }
}

// @ts-expect-error: decorator
@inline
function addVectors<T>(row: usize, source: usize, step: T, bits: u32, width: i32): void {
  const by = v128.splat<T>(step);
  for (let y = 0; y < width; y += lanes<T>()) {
    const at = <usize>y * sizeof<T>();
    const more = v128.and(v128.mul<T>(by, v128.load(source + at)), laneBits<T>(bits >> y));
    v128.store(row + at, v128.add<T>(v128.load(row + at), more));
  }
}
