import { exp } from './exp';
import { bitsOf, isZero, laneBits, lanes } from './vectors';

/**
 * Charges the rows of features [from, to) for the sentences without them; for the formulas see rows/adaptive-steps.ts.
 * `clocks` has a float64 per row of the table, the number of sentences charged. `scales` has the divisor of the feature's
 * values per row (0 means 1), or is 0 if there are no divisors.
 */
export function chargeRows<T>(
  weights: usize,
  squares: usize,
  sums: usize,
  clocks: usize,
  scales: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  sentences: f64,
  eta: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let k = from; k < to; k += 1) {
    const row = <usize>load<u32>(rows + ((<usize>k) << 2));
    const missed = sentences - load<f64>(clocks + (row << 3));
    if (!(missed > 0)) continue;
    store<f64>(clocks + (row << 3), sentences);
    const at = row * rowBytes;
    const inverse = <T>1 / scaleOf<T>(scales, row);
    if (sums != 0) {
      const t = <T>sentences;
      const ownEta = eta * inverse;
      averageNumbers<T>(weights + at, squares + at, sums + at, width, t, ownEta, delta, r1 * inverse, r2);
    } else {
      chargeNumbers<T>(weights + at, squares + at, width, <T>missed, delta, r1 * inverse, r2);
    }
  }
}

/** Returns the divisor of a feature's values. */
// @ts-expect-error: decorator
@inline
function scaleOf<T>(scales: usize, row: usize): T {
  if (scales == 0) return <T>1;
  const scale = load<f64>(scales + (row << 3));
  return scale == 0 ? <T>1 : <T>scale;
}

/** Charges `count` consecutive rows without changing their clocks. */
export function chargeCopies<T>(
  weights: usize,
  squares: usize,
  sums: usize,
  clocks: usize,
  scales: usize,
  count: i32,
  width: i32,
  sentences: f64,
  eta: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let row: usize = 0; row < <usize>count; row += 1) {
    const missed = sentences - load<f64>(clocks + (row << 3));
    if (!(missed > 0)) continue;
    const at = row * rowBytes;
    const inverse = <T>1 / scaleOf<T>(scales, row);
    if (sums != 0) {
      const t = <T>sentences;
      const ownEta = eta * inverse;
      averageNumbers<T>(weights + at, squares + at, sums + at, width, t, ownEta, delta, r1 * inverse, r2);
    } else {
      chargeNumbers<T>(weights + at, squares + at, width, <T>missed, delta, r1 * inverse, r2);
    }
  }
}

/**
 * Computes the dual-averaging weights of `count` consecutive numbers, a multiple of a vector, after `t` sentences from
 * their sums.
 */
export function averageNumbers<T>(
  weights: usize,
  squares: usize,
  sums: usize,
  count: i32,
  t: T,
  eta: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const end = <usize>count * sizeof<T>();
  for (let at: usize = 0; at < end; at += 16) {
    const z = v128.load(sums + at);
    const averaged = averagedOf<T>(z, v128.load(squares + at), t, eta, delta, r1, r2);
    v128.store(weights + at, averaged);
  }
}

/** Returns the weights of dual averaging. */
// @ts-expect-error: decorator
@inline
function averagedOf<T>(z: v128, s: v128, t: T, eta: T, delta: T, r1: T, r2: T): v128 {
  const h = v128.add<T>(v128.splat<T>(delta + t * r2), v128.sqrt<T>(s));
  const pull = v128.mul<T>(v128.splat<T>(-eta), z);
  return v128.div<T>(r1 == 0 ? pull : shrunk<T>(pull, v128.splat<T>(t * r1)), h);
}

/** Charges `count` consecutive numbers, a multiple of a vector, for `missed` sentences. */
export function chargeNumbers<T>(
  weights: usize,
  squares: usize,
  count: i32,
  missed: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const zero = v128.splat<T>(0);
  const k = v128.splat<T>(missed);
  const end = <usize>count * sizeof<T>();
  for (let at: usize = 0; at < end; at += 16) {
    const w = v128.load(weights + at);
    if (!v128.any_true(v128.ne<T>(w, zero))) continue;
    const h = v128.add<T>(v128.splat<T>(delta), v128.sqrt<T>(v128.load(squares + at)));
    if (r2 == 0) {
      const owed = v128.div<T>(v128.mul<T>(k, v128.splat<T>(r1)), h);
      v128.store(weights + at, shrunk<T>(w, owed));
      continue;
    }
    const lost = lostShare<T>(v128.div<T>(v128.splat<T>(r2), h), k);
    if (r1 == 0) v128.store(weights + at, v128.sub<T>(w, v128.mul<T>(lost, w)));
    else {
      const size = v128.add<T>(v128.abs<T>(w), v128.splat<T>(r1 / r2));
      v128.store(weights + at, shrunk<T>(w, v128.mul<T>(lost, size)));
    }
  }
}

/** Moves weights towards 0 by the penalty they owe, but not past it. */
// @ts-expect-error: decorator
@inline
function shrunk<T>(w: v128, owed: v128): v128 {
  const size = v128.sub<T>(v128.abs<T>(w), owed);
  const signed = v128.bitselect(w, size, v128.splat<T>(<T>(-0.0)));
  // NaN stays NaN: it does not compare below 0 either.
  return v128.andnot(signed, v128.le<T>(size, v128.splat<T>(0)));
}

/** Limits up to which the series for log(1 + x) and 1 - exp(-y) below are exact to their precision. */
const smallX: f64 = 0.015625;
const smallY: f64 = 0.0625;

/** Returns 1 - (1 + x)^-k, without cancellation for small results. */
// @ts-expect-error: decorator
@inline
function lostShare<T>(x: v128, k: v128): v128 {
  if (v128.any_true(v128.not(v128.lt<T>(x, v128.splat<T>(<T>smallX))))) return lostEach<T>(x, k);
  const y = v128.mul<T>(k, logOnePlus<T>(x));
  const lost = v128.mul<T>(y, decayed<T>(y));
  const isSmall = v128.lt<T>(y, v128.splat<T>(<T>smallY));
  if (bitsOf<T>(isSmall) == (1 << lanes<T>()) - 1) return lost;
  const one = v128.splat<T>(1);
  return v128.bitselect(lost, v128.sub<T>(one, exp<T>(v128.neg<T>(y))), isSmall);
}

/** Computes the same lane by lane, for steps so large that a single one removes much of a weight. */
function lostEach<T>(x: v128, k: v128): v128 {
  let lost = v128.splat<T>(0);
  if (sizeof<T>() == 4) {
    const count = <f64>f32x4.extract_lane(k, 0);
    lost = f32x4.replace_lane(lost, 0, <f32>lostOf(<f64>f32x4.extract_lane(x, 0), count));
    lost = f32x4.replace_lane(lost, 1, <f32>lostOf(<f64>f32x4.extract_lane(x, 1), count));
    lost = f32x4.replace_lane(lost, 2, <f32>lostOf(<f64>f32x4.extract_lane(x, 2), count));
    return f32x4.replace_lane(lost, 3, <f32>lostOf(<f64>f32x4.extract_lane(x, 3), count));
  }
  const count = f64x2.extract_lane(k, 0);
  lost = f64x2.replace_lane(lost, 0, lostOf(f64x2.extract_lane(x, 0), count));
  return f64x2.replace_lane(lost, 1, lostOf(f64x2.extract_lane(x, 1), count));
}

function lostOf(x: f64, k: f64): f64 {
  return -NativeMath.expm1(-k * NativeMath.log1p(x));
}

/** Returns log(1 + x) for 0 <= x < 1/64: x - x^2 / 2 + x^3 / 3 - ..., of degree 4 and 8. */
// @ts-expect-error: decorator
@inline
function logOnePlus<T>(x: v128): v128 {
  let sum: v128;
  if (sizeof<T>() == 4) sum = v128.splat<T>(<T>(-1.0 / 4));
  else {
    sum = v128.splat<T>(<T>(-1.0 / 8));
    sum = term<T>(sum, x, 1.0 / 7);
    sum = term<T>(sum, x, -1.0 / 6);
    sum = term<T>(sum, x, 1.0 / 5);
    sum = term<T>(sum, x, -1.0 / 4);
  }
  sum = term<T>(sum, x, 1.0 / 3);
  sum = term<T>(sum, x, -1.0 / 2);
  return v128.mul<T>(x, term<T>(sum, x, 1));
}

/** Returns (1 - exp(-y)) / y for 0 <= y < 1/16: 1 - y / 2 + y^2 / 6 - ..., of degree 4 and 8. */
// @ts-expect-error: decorator
@inline
function decayed<T>(y: v128): v128 {
  let sum: v128;
  if (sizeof<T>() == 4) sum = v128.splat<T>(<T>(1.0 / 120));
  else {
    sum = v128.splat<T>(<T>(1.0 / 362880));
    sum = term<T>(sum, y, -1.0 / 40320);
    sum = term<T>(sum, y, 1.0 / 5040);
    sum = term<T>(sum, y, -1.0 / 720);
    sum = term<T>(sum, y, 1.0 / 120);
  }
  sum = term<T>(sum, y, -1.0 / 24);
  sum = term<T>(sum, y, 1.0 / 6);
  sum = term<T>(sum, y, -1.0 / 2);
  return term<T>(sum, y, 1);
}

// @ts-expect-error: decorator
@inline
function term<T>(sum: v128, x: v128, next: f64): v128 {
  return v128.add<T>(v128.mul<T>(sum, x), v128.splat<T>(<T>next));
}

/**
 * Makes the step of the features of tokens [first, end). A feature's gradient is the sum of its residuals over the
 * tokens, so its occurrences are chained first. `heads` has one word per row of the table, 0 before and after the call;
 * `links` has room for two words per feature of each token. If `support` is not 0, labels whose bits are not set have no
 * gradient; see `accumulateSupported`.
 */
export function stepRows<T>(
  weights: usize,
  squares: usize,
  sums: usize,
  clocks: usize,
  scales: usize,
  residual: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  heads: usize,
  links: usize,
  support: usize,
  words: i32,
  sentences: f64,
  eta: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const begin = <i32>load<u32>(starts + ((<usize>first) << 2));
  chainFeatures(residual, starts, rows, first, end, rowBytes, heads, links);
  const stop = <i32>load<u32>(starts + ((<usize>end) << 2));
  const t = <T>(sentences + 1);
  for (let k = begin; k < stop; k += 1) {
    const row = <usize>load<u32>(rows + ((<usize>k) << 2));
    const head = heads + (row << 2);
    const chain = load<u32>(head);
    if (chain == 0) continue;
    store<u32>(head, 0);
    const at = row * rowBytes;
    const clock = clocks + (row << 3);
    const missed = sentences - load<f64>(clock);
    store<f64>(clock, sentences + 1);
    const w = weights + at;
    const s = squares + at;
    const z = sums == 0 ? 0 : sums + at;
    const inverse = <T>1 / scaleOf<T>(scales, row);
    const ownEta = eta * inverse;
    const ownR1 = r1 * inverse;
    if (missed > 0 && z == 0 && (r1 != 0 || r2 != 0)) {
      chargeNumbers<T>(w, s, width, <T>missed, delta, ownR1, r2);
    }
    const mask = support == 0 ? 0 : support + row * ((<usize>words) << 2);
    for (let column: usize = 0; column < rowBytes; column += 16) {
      let g = v128.splat<T>(0);
      for (let next = chain; next != 0; ) {
        const link = links + ((<usize>(next - 1)) << 3);
        const more = v128.load(residual + <usize>load<u32>(link, 4) * rowBytes + column);
        if (values == 0) g = v128.add<T>(g, more);
        else {
          const value = <T>load<f64>(values + ((<usize>(begin + next - 1)) << 3));
          g = v128.add<T>(g, v128.mul<T>(v128.splat<T>(value), more));
        }
        next = load<u32>(link);
      }
      if (mask != 0) {
        const label = <i32>(column / sizeof<T>());
        const bits = load<u32>(mask + ((<usize>(label >> 5)) << 2)) >> (label & 31);
        g = v128.and(g, laneBits<T>(bits));
      }
      g = v128.mul<T>(g, v128.splat<T>(inverse));
      if (z == 0) step<T>(w + column, s + column, g, ownEta, delta, ownR1, r2);
      else averagingStep<T>(w + column, s + column, z + column, g, t, ownEta, delta, ownR1, r2);
    }
  }
}

/** Chains the places of each feature at tokens with nonzero residuals, first token first. */
function chainFeatures(
  residual: usize,
  starts: usize,
  rows: usize,
  first: i32,
  end: i32,
  rowBytes: usize,
  heads: usize,
  links: usize,
): void {
  const begin = <i32>load<u32>(starts + ((<usize>first) << 2));
  for (let t = end - 1; t >= first; t -= 1) {
    if (isZero(residual + <usize>t * rowBytes, rowBytes)) continue;
    const from = <i32>load<u32>(starts + ((<usize>t) << 2));
    for (let k = <i32>load<u32>(starts + ((<usize>(t + 1)) << 2)) - 1; k >= from; k -= 1) {
      const head = heads + (<usize>load<u32>(rows + ((<usize>k) << 2)) << 2);
      const link = links + ((<usize>(k - begin)) << 3);
      store<u32>(link, load<u32>(head));
      store<u32>(link, t, 4);
      store<u32>(head, k - begin + 1);
    }
  }
}

/**
 * Makes the step of the `t`-th sentence for `count` consecutive numbers, a multiple of a vector, each with its gradient.
 */
export function stepNumbers<T>(
  weights: usize,
  squares: usize,
  sums: usize,
  gradient: usize,
  count: i32,
  t: T,
  eta: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const end = <usize>count * sizeof<T>();
  for (let at: usize = 0; at < end; at += 16) {
    const g = v128.load(gradient + at);
    if (sums == 0) step<T>(weights + at, squares + at, g, eta, delta, r1, r2);
    else averagingStep<T>(weights + at, squares + at, sums + at, g, t, eta, delta, r1, r2);
  }
}

// @ts-expect-error: decorator
@inline
function averagingStep<T>(
  weights: usize,
  squares: usize,
  sums: usize,
  g: v128,
  t: T,
  eta: T,
  delta: T,
  r1: T,
  r2: T,
): void {
  const s = v128.add<T>(v128.load(squares), v128.mul<T>(g, g));
  const z = v128.add<T>(v128.load(sums), g);
  v128.store(squares, s);
  v128.store(sums, z);
  v128.store(weights, averagedOf<T>(z, s, t, eta, delta, r1, r2));
}

// @ts-expect-error: decorator
@inline
function step<T>(weights: usize, squares: usize, g: v128, eta: T, delta: T, r1: T, r2: T): void {
  const w = v128.load(weights);
  const s = v128.add<T>(v128.load(squares), v128.mul<T>(g, g));
  v128.store(squares, s);
  const h = v128.add<T>(v128.add<T>(v128.splat<T>(delta), v128.sqrt<T>(s)), v128.splat<T>(r2));
  const move = v128.add<T>(v128.mul<T>(v128.splat<T>(r2), w), v128.mul<T>(v128.splat<T>(eta), g));
  const moved = v128.sub<T>(w, v128.div<T>(move, h));
  if (r1 == 0) v128.store(weights, moved);
  else v128.store(weights, shrunk<T>(moved, v128.div<T>(v128.splat<T>(r1), h)));
}
