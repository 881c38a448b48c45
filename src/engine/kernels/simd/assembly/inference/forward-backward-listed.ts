// Scaled forward-backward over pairs listed token by token. With b_t = exp(0 - maximum) and sums over the pairs listed
// at token t,
//
//     alpha_t(y) = exp(e_t(y)) [b_t sum_y' alpha_{t-1}(y') + sum_y' alpha_{t-1}(y') (exp(a_t(y', y)) - b_t)] / c_t
//     beta_{t-1}(y') = b_t sum_y g_t(y) + sum_y (exp(a_t(y', y)) - b_t) g_t(y),   g_t(y) = exp(e_t(y)) beta_t(y) / c_t
//     p(y_{t-1} = y', y_t = y) = alpha_{t-1}(y') exp(a_t(y', y)) g_t(y)   of listed pairs
//
// Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 9. If a label's two sums cancel, it is summed over all labels. The
// edge marginals of a token with a slot go to the listed pairs' cells in the slot's matrix, whose other cells do not
// change; sums over the sentence cover plain pairs. Cost O(T L + listed pairs).
//
// Token t has the entries [starts[t], starts[t + 1]): a pair as a word, with the previous label in its lower half, and
// exp of its score. `maxima` has the maximum subtracted at each token, `bases` has exp(0 - maximum).
import { exp } from '../exp';
import { log } from '../log';
import { matching } from './chains';
import { laneMask, lanes, maxOf, minOf, sumOf } from '../vectors';

/** Share of its starting value below which a sum has lost too much to cancellation. */
const leastShare = 0.0625;

/**
 * Computes exp of the entries' scores at tokens [first, end), minus the larger of the token's maximum and 0.
 */
export function exponentiateListed<T>(
  first: i32,
  end: i32,
  starts: usize,
  scores: usize,
  exps: usize,
  maxima: usize,
  bases: usize,
): void {
  for (let t = first; t < end; t += 1) {
    const from = <usize>load<u32>(starts + (<usize>t << 2)) * sizeof<T>();
    const to = <usize>load<u32>(starts + (<usize>t << 2), 4) * sizeof<T>();
    let most = v128.splat<T>(0);
    let at = from;
    for (; at + 16 <= to; at += 16) most = v128.pmax<T>(most, v128.load(scores + at));
    let maximum = maxOf<T>(most);
    for (; at < to; at += sizeof<T>()) maximum = max<T>(maximum, load<T>(scores + at));
    const shift = v128.splat<T>(maximum);
    // Values written past the last entry are overwritten by the next token's entries.
    for (at = from; at < to; at += 16) {
      v128.store(exps + at, exp<T>(v128.sub<T>(v128.load(scores + at), shift)));
    }
    store<T>(maxima + <usize>t * sizeof<T>(), maximum);
    const base = exp<T>(v128.sub<T>(v128.splat<T>(0), shift));
    store<T>(bases + <usize>t * sizeof<T>(), maxOf<T>(base));
  }
}

/** Writes `value` to the label lanes of a row, 0 to the others. */
// @ts-expect-error: decorator
@inline
function fillRow<T>(row: usize, value: T, labels: i32, width: i32): void {
  const values = v128.splat<T>(value);
  const whole = labels & -lanes<T>();
  let column = 0;
  for (; column < whole; column += lanes<T>()) v128.store(row + <usize>column * sizeof<T>(), values);
  for (; column < width; column += lanes<T>()) {
    v128.store(row + <usize>column * sizeof<T>(), v128.and(values, laneMask<T>(column, labels)));
  }
}

/** Returns the smallest number in the label lanes of a row. */
// @ts-expect-error: decorator
@inline
function leastOf<T>(row: usize, labels: i32): T {
  const infinite = v128.splat<T>(<T>Infinity);
  const whole = labels & -lanes<T>();
  let least = infinite;
  let at = row;
  const stop = row + <usize>whole * sizeof<T>();
  for (; at < stop; at += 16) least = v128.pmin<T>(least, v128.load(at));
  if (whole < labels) {
    const values = v128.bitselect(v128.load(at), infinite, laneMask<T>(whole, labels));
    least = v128.pmin<T>(least, values);
  }
  return minOf<T>(least);
}

/**
 * Returns the sum for one label over all labels at the other end, without cancellation: `vector` times exp of the
 * scores listed with the label, and times `base` for the other labels. `shift` selects the label's half of a pair.
 */
function fullSum<T>(
  label: i32,
  shift: i32,
  vector: usize,
  work: usize,
  width: i32,
  pairs: usize,
  exps: usize,
  count: usize,
  base: T,
): T {
  memory.copy(work, vector, <usize>width * sizeof<T>());
  let sum: T = 0;
  for (let k: usize = 0; k < count; k += 4) {
    let found = matching(pairs, k, count, shift, 0xffff, label);
    for (; found != 0; found &= found - 1) {
      const entry = k + <usize>ctz<i32>(found);
      const pair = load<u32>(pairs + (entry << 2));
      const other = <usize>((pair >> (16 - shift)) & 0xffff) * sizeof<T>();
      sum += load<T>(vector + other) * load<T>(exps + entry * sizeof<T>());
      store<T>(work + other, 0);
    }
  }
  let rest = v128.splat<T>(0);
  for (let column = 0; column < width; column += lanes<T>()) {
    rest = v128.add<T>(rest, v128.load(work + <usize>column * sizeof<T>()));
  }
  return sum + base * sumOf<T>(rest);
}

/** Recomputes the sums in `row` that fell below a share of `start`. */
function repair<T>(
  row: usize,
  start: T,
  shift: i32,
  vector: usize,
  work: usize,
  labels: i32,
  width: i32,
  pairs: usize,
  exps: usize,
  count: usize,
  base: T,
): void {
  const least = start * <T>leastShare;
  for (let y = 0; y < labels; y += 1) {
    const at = row + <usize>y * sizeof<T>();
    if (load<T>(at) >= least) continue;
    store<T>(at, fullSum<T>(y, shift, vector, work, width, pairs, exps, count, base));
  }
}

/** Runs the forward half; returns log Z, or NaN if it is not safe. `work` has room for a row. */
export function forwardListed<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  starts: usize,
  allPairs: usize,
  allExps: usize,
  maxima: usize,
  bases: usize,
  work: usize,
  leastValue: T,
  leastScale: T,
): f64 {
  const rowBytes = <usize>width * sizeof<T>();
  let logZ: f64 = 0;
  let product: f64 = 1;
  for (let t = first; t < end; t += 1) {
    const row = alpha + <usize>t * rowBytes;
    const before = row - rowBytes;
    const emission = emissions + <usize>t * rowBytes;
    let total = v128.splat<T>(0);
    if (t == first) {
      for (let at: usize = 0; at < rowBytes; at += 16) {
        const value = v128.load(emission + at);
        v128.store(row + at, value);
        total = v128.add<T>(total, value);
      }
    } else {
      const from = <usize>load<u32>(starts + (<usize>t << 2));
      const count = <usize>load<u32>(starts + (<usize>t << 2), 4) - from;
      const pairs = allPairs + (from << 2);
      const exps = allExps + from * sizeof<T>();
      const base = load<T>(bases + <usize>t * sizeof<T>());
      logZ += <f64>load<T>(maxima + <usize>t * sizeof<T>());
      // The previous vector sums to 1.
      fillRow<T>(row, base, labels, width);
      for (let k: usize = 0; k < count; k += 1) {
        const pair = <usize>load<u32>(pairs + (k << 2));
        const to = row + (pair >> 16) * sizeof<T>();
        const mass = load<T>(before + (pair & 0xffff) * sizeof<T>());
        store<T>(to, load<T>(to) + mass * (load<T>(exps + k * sizeof<T>()) - base));
      }
      if (!(leastOf<T>(row, labels) >= base * <T>leastShare)) {
        repair<T>(row, base, 16, before, work, labels, width, pairs, exps, count, base);
      }
      for (let at: usize = 0; at < rowBytes; at += 16) {
        const value = v128.mul<T>(v128.load(row + at), v128.load(emission + at));
        v128.store(row + at, value);
        total = v128.add<T>(total, value);
      }
    }
    const scale = sumOf<T>(total);
    const isSafe = leastOf<T>(row, labels) >= leastValue;
    if (!(scale >= leastScale && scale < <T>Infinity && isSafe)) return NaN;
    const inverse = v128.splat<T>(<T>1 / scale);
    for (let at: usize = 0; at < rowBytes; at += 16) {
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

/**
 * Runs the backward half: beta, node marginals, edge marginals of listed pairs in the slots' matrices, and edge
 * marginals of each token's first `plain` pairs, summed over the sentence; returns false if it is not safe.
 */
export function backwardListed<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  starts: usize,
  allPairs: usize,
  allExps: usize,
  bases: usize,
  work: usize,
  slots: usize,
  edges: usize,
  sums: usize,
  plain: i32,
  matrixSize: i32,
  leastValue: T,
): bool {
  const rowBytes = <usize>width * sizeof<T>();
  const matrixBytes = <usize>matrixSize * sizeof<T>();
  if (sums != 0) memory.fill(sums, 0, matrixBytes);
  fillRow<T>(beta + <usize>(end - 1) * rowBytes, 1, labels, width);
  for (let t = end - 1; t > first; t -= 1) {
    const row = beta + <usize>t * rowBytes;
    const before = row - rowBytes;
    const emission = emissions + <usize>t * rowBytes;
    const outgoing = nodes + <usize>t * rowBytes;
    const incoming = alpha + <usize>(t - 1) * rowBytes;
    const inverse = v128.splat<T>(<T>1 / load<T>(scales + <usize>t * sizeof<T>()));
    let mass = v128.splat<T>(0);
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const scaled = v128.mul<T>(v128.load(emission + at), inverse);
      const value = v128.mul<T>(scaled, v128.load(row + at));
      v128.store(outgoing + at, value);
      mass = v128.add<T>(mass, value);
    }
    const from = <usize>load<u32>(starts + (<usize>t << 2));
    const count = <usize>load<u32>(starts + (<usize>t << 2), 4) - from;
    const pairs = allPairs + (from << 2);
    const exps = allExps + from * sizeof<T>();
    const base = load<T>(bases + <usize>t * sizeof<T>());
    const start = base * sumOf<T>(mass);
    const slot = load<i32>(slots + (<usize>t << 2));
    fillRow<T>(before, start, labels, width);
    const hasMatrix = slot >= 0;
    const matrix = hasMatrix ? edges + <usize>slot * matrixBytes : 0;
    for (let k: usize = 0; k < count; k += 1) {
      const pair = <usize>load<u32>(pairs + (k << 2));
      const y = (pair & 0xffff) * sizeof<T>();
      const e = load<T>(exps + k * sizeof<T>());
      const g = load<T>(outgoing + (pair >> 16) * sizeof<T>());
      store<T>(before + y, load<T>(before + y) + g * (e - base));
      if (hasMatrix) {
        const at = y * <usize>width + (pair >> 16) * sizeof<T>();
        store<T>(matrix + at, load<T>(incoming + y) * e * g);
      }
    }
    for (let k: usize = 0; sums != 0 && k < <usize>plain; k += 1) {
      const pair = <usize>load<u32>(pairs + (k << 2));
      const y = (pair & 0xffff) * sizeof<T>();
      const at = sums + y * <usize>width + (pair >> 16) * sizeof<T>();
      const g = load<T>(outgoing + (pair >> 16) * sizeof<T>());
      store<T>(at, load<T>(at) + load<T>(incoming + y) * load<T>(exps + k * sizeof<T>()) * g);
    }
    if (!(leastOf<T>(before, labels) >= start * <T>leastShare)) {
      repair<T>(before, start, 0, outgoing, work, labels, width, pairs, exps, count, base);
    }
    // Infinities and NaN show up in the total.
    let total = v128.splat<T>(0);
    for (let at: usize = 0; at < rowBytes; at += 16) {
      total = v128.add<T>(total, v128.load(before + at));
    }
    if (!(leastOf<T>(before, labels) >= leastValue && sumOf<T>(total) < <T>Infinity)) return false;
  }
  const stop = <usize>end * rowBytes;
  for (let at = <usize>first * rowBytes; at < stop; at += 16) {
    v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at), v128.load(beta + at)));
  }
  return true;
}
