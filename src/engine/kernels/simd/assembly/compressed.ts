/**
 * Computes sums[t][label] += value * weight for the pairs of each token. `labels` has each pair's 16-bit label; `values`
 * is 0 if all are 1.
 */
export function addPairs(
  sums: usize,
  weights: usize,
  starts: usize,
  pairs: usize,
  labels: usize,
  values: usize,
  tokens: i32,
  width: i32,
): void {
  for (let t = 0; t < tokens; t += 1) {
    const row = sums + ((<usize>t * <usize>width) << 3);
    const from = (<usize>load<u32>(starts + ((<usize>t) << 2))) << 2;
    const to = (<usize>load<u32>(starts + ((<usize>t) << 2), 4)) << 2;
    if (values == 0) {
      for (let k = from; k < to; k += 4) {
        const pair = <usize>load<u32>(pairs + k);
        const at = row + ((<usize>load<u16>(labels + (pair << 1))) << 3);
        const weight = load<f64>(weights + (pair << 3));
        store<f64>(at, load<f64>(at) + weight);
      }
    } else {
      for (let k = from; k < to; k += 4) {
        const pair = <usize>load<u32>(pairs + k);
        const at = row + ((<usize>load<u16>(labels + (pair << 1))) << 3);
        const weight = load<f64>(weights + (pair << 3));
        store<f64>(at, load<f64>(at) + load<f64>(values + (k << 1)) * weight);
      }
    }
  }
}

/** Computes gradient[pair] += value * residual[t][label] for the pairs of tokens [first, end). */
export function accumulatePairs(
  gradient: usize,
  residual: usize,
  starts: usize,
  pairs: usize,
  labels: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
): void {
  for (let t = first; t < end; t += 1) {
    const row = residual + ((<usize>t * <usize>width) << 3);
    const from = (<usize>load<u32>(starts + ((<usize>t) << 2))) << 2;
    const to = (<usize>load<u32>(starts + ((<usize>t) << 2), 4)) << 2;
    if (values == 0) {
      for (let k = from; k < to; k += 4) {
        const pair = <usize>load<u32>(pairs + k);
        const at = gradient + (pair << 3);
        const step = load<f64>(row + ((<usize>load<u16>(labels + (pair << 1))) << 3));
        store<f64>(at, load<f64>(at) + step);
      }
    } else {
      for (let k = from; k < to; k += 4) {
        const pair = <usize>load<u32>(pairs + k);
        const at = gradient + (pair << 3);
        const step = load<f64>(row + ((<usize>load<u16>(labels + (pair << 1))) << 3));
        store<f64>(at, load<f64>(at) + load<f64>(values + (k << 1)) * step);
      }
    }
  }
}

/** Converts `count` numbers, an even count, from float32 to float64. */
export function widen(out: usize, source: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i += 2) {
    v128.store(out + (i << 3), f64x2.promote_low_f32x4(v128.load64_zero(source + (i << 2))));
  }
}

/** Converts `count` numbers, an even count, from float64 to float32. */
export function narrow(out: usize, source: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i += 2) {
    const pair = f32x4.demote_f64x2_zero(v128.load(source + (i << 3)));
    v128.store64_lane(out + (i << 2), pair, 0);
  }
}
