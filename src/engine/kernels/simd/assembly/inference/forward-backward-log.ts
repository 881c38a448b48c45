import { exp } from '../exp';
import { log } from '../log';
import { matrixInto } from './matrix-into';
import { laneMask, loadPair, storePair } from '../vectors';

/**
 * Returns the value to subtract before exp, per lane: the maximum (NaN stays), or 0 if all are
 * -Infinity.
 */
// @ts-expect-error: decorator
@inline
function shiftOf(maximum: v128): v128 {
  return v128.and(maximum, f64x2.ne(maximum, f64x2.splat(-Infinity)));
}

/**
 * Runs forward-backward in log space over tokens [first, end), two labels at a time; returns log Z.
 * Vectors are float64 in both precisions; for the formulas see reference/forward-backward-log.ts.
 */
export function forwardBackwardLog<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  transitions: usize,
  slots: usize,
  edgeScores: usize,
  matrixSize: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  edges: usize,
  sums: usize,
): f64 {
  const logBytes = (<usize>width) << 3;
  const rowBytes = <usize>width * sizeof<T>();
  for (let y = 0; y < width; y += 2) {
    const at = (<usize>first) * logBytes + ((<usize>y) << 3);
    v128.store(alpha + at, loadPair<T>(scores + <usize>first * rowBytes + <usize>y * sizeof<T>()));
    v128.store(beta + <usize>(end - 1) * logBytes + ((<usize>y) << 3), f64x2.splat(0));
  }
  for (let t = first + 1; t < end; t += 1) {
    const matrix = matrixInto<T>(t, transitions, slots, edgeScores, matrixSize);
    const before = alpha + <usize>(t - 1) * logBytes;
    forwardStep<T>(before, matrix, scores + <usize>t * rowBytes, labels, width);
  }
  const logZ = logSumExp(alpha + <usize>(end - 1) * logBytes, labels);
  for (let t = end - 1; t > first; t -= 1) {
    const matrix = matrixInto<T>(t, transitions, slots, edgeScores, matrixSize);
    const row = beta + <usize>t * logBytes;
    backwardStep<T>(row, matrix, scores + <usize>t * rowBytes, labels, width);
  }
  for (let t = first; t < end; t += 1) {
    for (let y = 0; y < width; y += 2) {
      const at = <usize>t * logBytes + ((<usize>y) << 3);
      const both = f64x2.add(v128.load(alpha + at), v128.load(beta + at));
      const node = exp<f64>(f64x2.sub(both, f64x2.splat(logZ)));
      const out = nodes + <usize>t * rowBytes + <usize>y * sizeof<T>();
      storePair<T>(out, v128.and(node, laneMask<f64>(y, labels)));
    }
  }
  memory.fill(sums, 0, <usize>matrixSize * sizeof<T>());
  for (let t = first + 1; t < end; t += 1) {
    const matrix = matrixInto<T>(t, transitions, slots, edgeScores, matrixSize);
    const out = matrix == transitions ? 0 : edges + (matrix - edgeScores);
    const before = alpha + <usize>(t - 1) * logBytes;
    const emission = scores + <usize>t * rowBytes;
    const after = beta + <usize>t * logBytes;
    edgeMarginals<T>(before, matrix, emission, after, logZ, labels, width, out, sums);
  }
  return logZ;
}

/**
 * Computes the row after `before`: e(y) + log sum over `from` of exp(before(from) + matrix(from,
 * y)).
 */
function forwardStep<T>(
  before: usize,
  matrix: usize,
  emission: usize,
  labels: i32,
  width: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const row = before + ((<usize>width) << 3);
  for (let y = 0; y < width; y += 2) {
    const column = matrix + <usize>y * sizeof<T>();
    let maximum = f64x2.splat(-Infinity);
    for (let from = 0; from < labels; from += 1) {
      const score = v128.load64_splat(before + ((<usize>from) << 3));
      const value = f64x2.add(score, loadPair<T>(column + <usize>from * rowBytes));
      maximum = f64x2.max(maximum, value);
    }
    const shift = shiftOf(maximum);
    let sum = f64x2.splat(0);
    for (let from = 0; from < labels; from += 1) {
      const score = v128.load64_splat(before + ((<usize>from) << 3));
      const value = f64x2.add(score, loadPair<T>(column + <usize>from * rowBytes));
      sum = f64x2.add(sum, exp<f64>(f64x2.sub(value, shift)));
    }
    const logs = f64x2(log(f64x2.extract_lane(sum, 0)), log(f64x2.extract_lane(sum, 1)));
    const score = f64x2.add(loadPair<T>(emission + <usize>y * sizeof<T>()), shift);
    v128.store(row + ((<usize>y) << 3), f64x2.add(score, logs));
  }
}

/**
 * Computes the row before `row`: log sum over y of exp(matrix(from, y) + e(y) + row(y)), for each
 * `from`.
 */
function backwardStep<T>(
  row: usize,
  matrix: usize,
  emission: usize,
  labels: i32,
  width: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const before = row - ((<usize>width) << 3);
  const least = f64x2.splat(-Infinity);
  for (let from = 0; from < labels; from += 1) {
    const scores = matrix + <usize>from * rowBytes;
    let maximum = least;
    for (let y = 0; y < width; y += 2) {
      const value = outgoing<T>(scores, emission, row, y);
      maximum = f64x2.max(maximum, v128.bitselect(value, least, laneMask<f64>(y, labels)));
    }
    const best = max(f64x2.extract_lane(maximum, 0), f64x2.extract_lane(maximum, 1));
    const shift = shiftOf(f64x2.splat(best));
    let sum = f64x2.splat(0);
    for (let y = 0; y < width; y += 2) {
      const value = exp<f64>(f64x2.sub(outgoing<T>(scores, emission, row, y), shift));
      sum = f64x2.add(sum, v128.and(value, laneMask<f64>(y, labels)));
    }
    const total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
    store<f64>(before + ((<usize>from) << 3), f64x2.extract_lane(shift, 0) + log(total));
  }
}

/** Returns matrix(from, y) + e(y) + beta(y) at two labels. */
// @ts-expect-error: decorator
@inline
function outgoing<T>(scores: usize, emission: usize, beta: usize, y: i32): v128 {
  const at = <usize>y * sizeof<T>();
  const score = f64x2.add(loadPair<T>(scores + at), loadPair<T>(emission + at));
  return f64x2.add(score, v128.load(beta + ((<usize>y) << 3)));
}

/**
 * Adds exp(alpha + matrix + e + beta - log Z) to the sums, and stores it if the token has its own
 * slot.
 */
function edgeMarginals<T>(
  alpha: usize,
  matrix: usize,
  emission: usize,
  beta: usize,
  logZ: f64,
  labels: i32,
  width: i32,
  out: usize,
  sums: usize,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let from = 0; from < labels; from += 1) {
    const mass = f64x2.splat(load<f64>(alpha + ((<usize>from) << 3)) - logZ);
    const row = <usize>from * rowBytes;
    for (let y = 0; y < width; y += 2) {
      const at = row + <usize>y * sizeof<T>();
      // In the reference's order, because each order rounds large logarithms differently.
      let score = f64x2.add(mass, loadPair<T>(matrix + at));
      score = f64x2.add(score, loadPair<T>(emission + <usize>y * sizeof<T>()));
      score = f64x2.add(score, v128.load(beta + ((<usize>y) << 3)));
      const marginal = v128.and(exp<f64>(score), laneMask<f64>(y, labels));
      storePair<T>(sums + at, f64x2.add(loadPair<T>(sums + at), marginal));
      if (out != 0) storePair<T>(out + at, marginal);
    }
  }
}

function logSumExp(row: usize, labels: i32): f64 {
  let maximum: f64 = -Infinity;
  for (let y = 0; y < labels; y += 1) maximum = max(maximum, load<f64>(row + ((<usize>y) << 3)));
  if (maximum == -Infinity) return maximum;
  let sum: f64 = 0;
  for (let y = 0; y < labels; y += 2) {
    const value = f64x2.sub(v128.load(row + ((<usize>y) << 3)), f64x2.splat(maximum));
    const both = v128.and(exp<f64>(value), laneMask<f64>(y, labels));
    sum += f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
  }
  return maximum + log(sum);
}
