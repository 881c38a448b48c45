import { log } from '../log';
import { laneMask, lanes, minOf, sumOf } from '../vectors';

/** Returns the smallest positive number of a row; infinity if there is none. */
function leastPositive<T>(row: usize, labels: i32): T {
  let least: T = <T>Infinity;
  for (let y = 0; y < labels; y += 1) {
    const value = load<T>(row + <usize>y * sizeof<T>());
    if (value > 0 && value < least) least = value;
  }
  return least;
}

/** Computes out[y] = sum over rows of vector[row] * matrix[row][y], `width` wide. */
// @ts-expect-error: decorator
@inline
export function vectorTimesMatrix<T>(out: usize, vector: usize, matrix: usize, rows: i32, width: i32): void {
  const rowBytes = <usize>width * sizeof<T>();
  let column: usize = 0;
  for (; column + 96 <= rowBytes; column += 96) {
    let a = v128.splat<T>(0), b = a, c = a, d = a, e = a, f = a;
    let row = matrix + column;
    for (let i = 0; i < rows; i += 1) {
      const x = v128.load_splat<T>(vector + <usize>i * sizeof<T>());
      a = v128.add<T>(a, v128.mul<T>(x, v128.load(row)));
      b = v128.add<T>(b, v128.mul<T>(x, v128.load(row, 16)));
      c = v128.add<T>(c, v128.mul<T>(x, v128.load(row, 32)));
      d = v128.add<T>(d, v128.mul<T>(x, v128.load(row, 48)));
      e = v128.add<T>(e, v128.mul<T>(x, v128.load(row, 64)));
      f = v128.add<T>(f, v128.mul<T>(x, v128.load(row, 80)));
      row += rowBytes;
    }
    v128.store(out + column, a);
    v128.store(out + column, b, 16);
    v128.store(out + column, c, 32);
    v128.store(out + column, d, 48);
    v128.store(out + column, e, 64);
    v128.store(out + column, f, 80);
  }
  for (; column + 32 <= rowBytes; column += 32) {
    let a = v128.splat<T>(0), b = a;
    let row = matrix + column;
    for (let i = 0; i < rows; i += 1) {
      const x = v128.load_splat<T>(vector + <usize>i * sizeof<T>());
      a = v128.add<T>(a, v128.mul<T>(x, v128.load(row)));
      b = v128.add<T>(b, v128.mul<T>(x, v128.load(row, 16)));
      row += rowBytes;
    }
    v128.store(out + column, a);
    v128.store(out + column, b, 16);
  }
  for (; column < rowBytes; column += 16) {
    let a = v128.splat<T>(0);
    let row = matrix + column;
    for (let i = 0; i < rows; i += 1) {
      const x = v128.load_splat<T>(vector + <usize>i * sizeof<T>());
      a = v128.add<T>(a, v128.mul<T>(x, v128.load(row)));
      row += rowBytes;
    }
    v128.store(out + column, a);
  }
}

/**
 * Runs the forward half of the scaled recursion over tokens [first, end); returns log Z, or NaN if it is not
 * safe. `closed` tells where labels may be forbidden: nowhere (0), at the ends of the sentence (1), or at
 * any token (2). For the formulas see reference/forward-backward-scaled.ts.
 */
export function forward<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  transitions: usize,
  transitionMaximum: T,
  slots: usize,
  edges: usize,
  edgeMaxima: usize,
  matrixSize: i32,
  leastValue: T,
  leastScale: T,
  closed: i32,
): f64 {
  const rowBytes = <usize>width * sizeof<T>();
  const infinite = v128.splat<T>(<T>Infinity);
  const whole = <usize>(labels & -lanes<T>()) * sizeof<T>();
  const tail = laneMask<T>(labels & -lanes<T>(), labels);
  let logZ: f64 = 0;
  let product: f64 = 1;
  for (let t = first; t < end; t += 1) {
    const row = alpha + <usize>t * rowBytes;
    const emission = emissions + <usize>t * rowBytes;
    let total = v128.splat<T>(0);
    let least = infinite;
    if (t > first) {
      const slot = slots == 0 ? -1 : load<i32>(slots + (<usize>t << 2));
      const matrix = slot < 0 ? transitions : edges + <usize>slot * <usize>matrixSize * sizeof<T>();
      logZ += <f64>(slot < 0 ? transitionMaximum : load<T>(edgeMaxima + <usize>slot * sizeof<T>()));
      vectorTimesMatrix<T>(row, row - rowBytes, matrix, labels, width);
    }
    for (let at: usize = 0; at < rowBytes; at += 16) {
      let value = v128.load(emission + at);
      if (t > first) value = v128.mul<T>(value, v128.load(row + at));
      v128.store(row + at, value);
      total = v128.add<T>(total, value);
      if (at < whole) least = v128.pmin<T>(least, value);
    }
    if (whole < rowBytes) {
      const value = v128.bitselect(v128.load(row + whole), infinite, tail);
      least = v128.pmin<T>(least, value);
    }
    const scale = sumOf<T>(total);
    // If labels are forbidden at the ends of a sentence, or at any token, zeros are legitimate
    // there.
    const isSafe =
      minOf<T>(least) >= leastValue ||
      (closed == 1 && (t == first || t == end - 1)) ||
      (closed == 2 && leastPositive<T>(row, labels) >= leastValue);
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
 * Runs the backward half: beta, node marginals, edge marginals by slot and summed over the sentence; returns
 * false if it is not safe. `transposed` is the transpose of `transitions`, which avoids horizontal sums.
 * `nodes` holds g_t = exp(e_t) beta_t / c_t until the sums are computed.
 */
export function backward<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nodes: usize,
  emissions: usize,
  scales: usize,
  transitions: usize,
  transposed: usize,
  slots: usize,
  expEdges: usize,
  edges: usize,
  sums: usize,
  matrixSize: i32,
  leastValue: T,
  closed: i32,
): bool {
  const rowBytes = <usize>width * sizeof<T>();
  const matrixBytes = <usize>matrixSize * sizeof<T>();
  const infinite = v128.splat<T>(<T>Infinity);
  const whole = <usize>(labels & -lanes<T>()) * sizeof<T>();
  const tail = laneMask<T>(labels & -lanes<T>(), labels);
  const last = beta + <usize>(end - 1) * rowBytes;
  for (let column = 0; column < width; column += lanes<T>()) {
    const ones = v128.and(v128.splat<T>(1), laneMask<T>(column, labels));
    v128.store(last + <usize>column * sizeof<T>(), ones);
  }
  for (let t = end - 1; t > first; t -= 1) {
    const row = beta + <usize>t * rowBytes;
    const before = row - rowBytes;
    const emission = emissions + <usize>t * rowBytes;
    const outgoing = nodes + <usize>t * rowBytes;
    const inverse = v128.splat<T>(<T>1 / load<T>(scales + <usize>t * sizeof<T>()));
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const value = v128.mul<T>(v128.load(emission + at), v128.load(row + at));
      v128.store(outgoing + at, v128.mul<T>(value, inverse));
    }
    const slot = slots == 0 ? -1 : load<i32>(slots + (<usize>t << 2));
    if (slot < 0) vectorTimesMatrix<T>(before, outgoing, transposed, labels, width);
    else matrixTimesVector<T>(before, expEdges + <usize>slot * matrixBytes, outgoing, labels, width);
    // Infinities and NaN show up in the total.
    let least = infinite;
    let total = v128.splat<T>(0);
    for (let at: usize = 0; at < whole; at += 16) {
      const value = v128.load(before + at);
      total = v128.add<T>(total, value);
      least = v128.pmin<T>(least, value);
    }
    if (whole < rowBytes) {
      const value = v128.load(before + whole);
      total = v128.add<T>(total, v128.and(value, tail));
      least = v128.pmin<T>(least, v128.bitselect(value, infinite, tail));
    }
    const isSafe =
      minOf<T>(least) >= leastValue ||
      (closed == 2 && leastPositive<T>(before, labels) >= leastValue);
    if (!(isSafe && sumOf<T>(total) < <T>Infinity)) return false;
  }
  if (sums != 0) {
    sumTransitions<T>(first, end, labels, rowBytes, alpha, nodes, transitions, slots, sums);
  }
  if (slots != 0) {
    for (let t = first + 1; t < end; t += 1) {
      const slot = load<i32>(slots + (<usize>t << 2));
      if (slot < 0) continue;
      const at = <usize>slot * matrixBytes;
      const incoming = alpha + <usize>(t - 1) * rowBytes;
      edgeMarginals<T>(labels, rowBytes, incoming, nodes + <usize>t * rowBytes, expEdges + at, edges + at, sums);
    }
  }
  const begin = <usize>first * rowBytes;
  const stop = <usize>end * rowBytes;
  for (let at = begin; at < stop; at += 16) {
    v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at), v128.load(beta + at)));
  }
  return true;
}

/**
 * Computes sums = exp(a) times the sum over plain tokens of alpha_{t-1} g_t, kept in registers over the
 * tokens.
 */
export function sumTransitions<T>(
  first: i32,
  end: i32,
  labels: i32,
  rowBytes: usize,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  slots: usize,
  sums: usize,
): void {
  for (let from = 0; from < labels; from += 1) {
    const matrixRow = <usize>from * rowBytes;
    const lane = <usize>from * sizeof<T>();
    let column: usize = 0;
    // Six sums at a time: with two, each addition would wait for the previous one.
    for (; column + 96 <= rowBytes; column += 96) {
      let a = v128.splat<T>(0), b = a, c = a, d = a, e = a, f = a;
      for (let t = first + 1; t < end; t += 1) {
        if (slots != 0 && load<i32>(slots + (<usize>t << 2)) >= 0) continue;
        const mass = v128.load_splat<T>(alpha + <usize>(t - 1) * rowBytes + lane);
        const row = outgoing + <usize>t * rowBytes + column;
        a = v128.add<T>(a, v128.mul<T>(mass, v128.load(row)));
        b = v128.add<T>(b, v128.mul<T>(mass, v128.load(row, 16)));
        c = v128.add<T>(c, v128.mul<T>(mass, v128.load(row, 32)));
        d = v128.add<T>(d, v128.mul<T>(mass, v128.load(row, 48)));
        e = v128.add<T>(e, v128.mul<T>(mass, v128.load(row, 64)));
        f = v128.add<T>(f, v128.mul<T>(mass, v128.load(row, 80)));
      }
      const at = matrixRow + column;
      v128.store(sums + at, v128.mul<T>(a, v128.load(transitions + at)));
      v128.store(sums + at, v128.mul<T>(b, v128.load(transitions + at, 16)), 16);
      v128.store(sums + at, v128.mul<T>(c, v128.load(transitions + at, 32)), 32);
      v128.store(sums + at, v128.mul<T>(d, v128.load(transitions + at, 48)), 48);
      v128.store(sums + at, v128.mul<T>(e, v128.load(transitions + at, 64)), 64);
      v128.store(sums + at, v128.mul<T>(f, v128.load(transitions + at, 80)), 80);
    }
    for (; column + 32 <= rowBytes; column += 32) {
      let a = v128.splat<T>(0), b = a;
      for (let t = first + 1; t < end; t += 1) {
        if (slots != 0 && load<i32>(slots + (<usize>t << 2)) >= 0) continue;
        const mass = v128.load_splat<T>(alpha + <usize>(t - 1) * rowBytes + lane);
        const row = outgoing + <usize>t * rowBytes + column;
        a = v128.add<T>(a, v128.mul<T>(mass, v128.load(row)));
        b = v128.add<T>(b, v128.mul<T>(mass, v128.load(row, 16)));
      }
      const at = matrixRow + column;
      v128.store(sums + at, v128.mul<T>(a, v128.load(transitions + at)));
      v128.store(sums + at, v128.mul<T>(b, v128.load(transitions + at, 16)), 16);
    }
    for (; column < rowBytes; column += 16) {
      let a = v128.splat<T>(0);
      for (let t = first + 1; t < end; t += 1) {
        if (slots != 0 && load<i32>(slots + (<usize>t << 2)) >= 0) continue;
        const mass = v128.load_splat<T>(alpha + <usize>(t - 1) * rowBytes + lane);
        a = v128.add<T>(a, v128.mul<T>(mass, v128.load(outgoing + <usize>t * rowBytes + column)));
      }
      const at = matrixRow + column;
      v128.store(sums + at, v128.mul<T>(a, v128.load(transitions + at)));
    }
  }
}

/** Computes edges = alpha exp(a) g at one token, and adds it to the sentence's sums. */
// @ts-expect-error: decorator
@inline
function edgeMarginals<T>(
  labels: i32,
  rowBytes: usize,
  incoming: usize,
  outgoing: usize,
  exps: usize,
  edges: usize,
  sums: usize,
): void {
  for (let from = 0; from < labels; from += 1) {
    const mass = v128.splat<T>(load<T>(incoming + <usize>from * sizeof<T>()));
    const row = <usize>from * rowBytes;
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const pair = v128.mul<T>(v128.load(exps + row + at), v128.load(outgoing + at));
      const marginal = v128.mul<T>(mass, pair);
      v128.store(edges + row + at, marginal);
      v128.store(sums + row + at, v128.add<T>(v128.load(sums + row + at), marginal));
    }
  }
}

/** Computes out[row] = sum over y of matrix[row][y] * vector[y]; lanes past the last label become 0. */
export function matrixTimesVector<T>(out: usize, matrix: usize, vector: usize, labels: i32, width: i32): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let from = 0; from < labels; from += 1) {
    let total = v128.splat<T>(0);
    for (let at: usize = 0; at < rowBytes; at += 16) {
      total = v128.add<T>(total, v128.mul<T>(v128.load(matrix + at), v128.load(vector + at)));
    }
    store<T>(out + <usize>from * sizeof<T>(), sumOf<T>(total));
    matrix += rowBytes;
  }
  for (let y = labels; y < width; y += 1) store<T>(out + <usize>y * sizeof<T>(), 0);
}

/** Computes the sums of plain transitions alone, in a matrix with rows of `width` numbers. */
export function sumPairs<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  sums: usize,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  sumTransitions<T>(first, end, labels, rowBytes, alpha, outgoing, transitions, 0, sums);
}
