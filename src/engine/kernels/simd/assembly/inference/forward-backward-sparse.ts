import { log } from '../log';
import {
  groupBytes,
  leastShare,
  pastAt,
  placeBytes,
  rowAt,
  startAt,
  stepBytes,
} from './sparse-lists';
import { laneMask, lanes, minOf, sumOf } from '../vectors';

/** A forward vector with a sum below 2^-20 is divided by its sum before it is read. */
const leastMass = 9.5367431640625e-7;

/** Computes the sums over each label's entries, in the workspace of the lists; see sparse-lists.ts. */
// @ts-expect-error: decorator
@inline
function gather<T>(lists: usize): void {
  let group = load<usize>(lists);
  const last = load<usize>(lists, 4);
  while (group < last) {
    let a = v128.splat<T>(0), b = a, c = a, d = a;
    let step = group + groupBytes;
    const end = step + load<usize>(group);
    for (; step < end; step += stepBytes) {
      a = v128.add<T>(a, v128.mul<T>(v128.load_splat<T>(load<usize>(step)), v128.load(step, 16)));
      b = v128.add<T>(b, v128.mul<T>(v128.load_splat<T>(load<usize>(step, 4)), v128.load(step, 32)));
      c = v128.add<T>(c, v128.mul<T>(v128.load_splat<T>(load<usize>(step, 8)), v128.load(step, 48)));
      d = v128.add<T>(d, v128.mul<T>(v128.load_splat<T>(load<usize>(step, 12)), v128.load(step, 64)));
    }
    // The first sum is stored last, because it overwrites those of padding.
    v128.store(load<usize>(group, 16), d);
    v128.store(load<usize>(group, 12), c);
    v128.store(load<usize>(group, 8), b);
    v128.store(load<usize>(group, 4), a);
    group = end;
  }
}

/**
 * Adds `base` to the sums of labels to be checked; if the two cancel, the sum over the label's whole row of `dense`
 * replaces them.
 */
function check<T>(lists: usize, base: T, dense: usize, width: i32): void {
  const work = load<usize>(lists, 16);
  const end = load<usize>(lists, 12);
  for (let label = load<usize>(lists, 8); label < end; label += 8) {
    const at = load<usize>(label, 4);
    let sum = base + load<T>(at);
    if (!(sum >= base * <T>leastShare)) {
      sum = product<T>(work, dense + load<usize>(label) * <usize>width, width);
    }
    store<T>(at, sum);
  }
}

/** Returns the inner product of the row in the workspace with another row. */
function product<T>(work: usize, y: usize, width: i32): T {
  let total = v128.splat<T>(0);
  for (let column = 0; column < width; column += lanes<T>()) {
    total = v128.add<T>(total, v128.mul<T>(v128.load(work, rowAt), v128.load(y)));
    work += placeBytes;
    y += 16;
  }
  return sumOf<T>(total);
}

/**
 * Runs `forward` with lists; `transposed` has the exponentials by target. With exp(a(y', y)) = 1 + M(y', y), where M is 0
 * for inactive transitions,
 *
 *     alpha_t(y) = exp(e_t(y)) [sum_y' alpha_{t-1}(y') + sum_y' alpha_{t-1}(y') M(y', y)] / c_t
 *     beta_{t-1}(y') = sum_y g_t(y) + sum_y M(y', y) g_t(y),   g_t(y) = exp(e_t(y)) beta_t(y) / c_t
 *
 * Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 9. If M is near -1 for a label with nearly all of the mass, the two
 * sums cancel, and the column is summed densely. Columns with mostly forbidden transitions are summed over the allowed
 * ones.
 *
 * A row is divided by its sum and stored when the next row is computed from it, which keeps the dependency chain between
 * tokens short. Unless `sums` is 0, a matrix of zeros is written there meanwhile: writes to distant memory take long but
 * hardly occupy the processor.
 */
export function forwardSparse<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  emissions: usize,
  emissionMaxima: usize,
  scales: usize,
  lists: usize,
  transposed: usize,
  transitionMaximum: T,
  leastValue: T,
  leastScale: T,
  closedEnds: i32,
  sums: usize,
): f64 {
  const rowBytes = <usize>width * sizeof<T>();
  const sumBytes = <usize>labels * rowBytes;
  // Slightly more than a token's share, so that the whole matrix is written.
  const chunk = (sumBytes / <usize>(end - first) + 64) & ~63;
  const sumsEnd = sums + (sums == 0 ? 0 : sumBytes);
  const wholeBytes = <usize>(labels & -lanes<T>()) * sizeof<T>();
  const work = load<usize>(lists, 16);
  const base = load<T>(lists, 24);
  const infinite = v128.splat<T>(<T>Infinity);
  let logZ: f64 = <f64>transitionMaximum * <f64>(end - first - 1);
  let product: f64 = 1;
  // Sum of the previous row, and the factor that normalises it.
  let mass: T = 1;
  let inverse: T = 1;
  let before = alpha + <usize>(first - 1) * rowBytes;
  let emission = emissions + <usize>first * rowBytes;
  for (let t = first; t < end; t += 1) {
    let place = work;
    let a = v128.splat<T>(0), b = a;
    let least = infinite;
    sums = clear(sums, min<usize>(sumsEnd, sums + chunk));
    if (t == first) {
      const stop = emission + rowBytes;
      for (; emission < stop; emission += 16) {
        const value = v128.load(emission);
        v128.store(place, value, rowAt);
        a = v128.add<T>(a, value);
        least = v128.pmin<T>(v128.or(value, v128.load(place, pastAt)), least);
        place += placeBytes;
      }
      before += rowBytes;
    } else {
      gather<T>(lists);
      if (load<usize>(lists, 8) != load<usize>(lists, 12)) {
        check<T>(lists, base * mass, transposed, width);
      }
      const factor = v128.splat<T>(inverse);
      let stop = emission + wholeBytes - 16;
      const finish = emission + rowBytes;
      for (; emission < stop; emission += 32) {
        keepRow<T>(before, place, factor);
        keepRow<T>(before + 16, place + placeBytes, factor);
        const i = nextRow<T>(place, emission, factor);
        const j = nextRow<T>(place + placeBytes, emission + 16, factor);
        a = v128.add<T>(a, i);
        b = v128.add<T>(b, j);
        least = v128.pmin<T>(v128.pmin<T>(i, j), least);
        place += 2 * placeBytes;
        before += 32;
      }
      for (; emission < finish; emission += 16) {
        keepRow<T>(before, place, factor);
        const i = nextRow<T>(place, emission, factor);
        a = v128.add<T>(a, i);
        least = v128.pmin<T>(v128.or(i, v128.load(place, pastAt)), least);
        place += placeBytes;
        before += 16;
      }
    }
    const scale = sumOf<T>(v128.add<T>(a, b));
    // If labels are forbidden at the ends of a sentence, zeros are legitimate there.
    const isSafe = minOf<T>(least) >= leastValue || (closedEnds != 0 && (t == first || t == end - 1));
    if (!(scale >= leastScale && scale < <T>Infinity && isSafe)) return NaN;
    store<T>(scales + <usize>t * sizeof<T>(), scale);
    logZ += <f64>load<T>(emissionMaxima + <usize>t * sizeof<T>());
    product *= <f64>scale;
    if (product < 1e-200 || product > 1e200) {
      logZ += log(product);
      product = 1;
    }
    mass = scale;
    inverse = <T>1 / scale;
    if (scale < <T>leastMass || t == end - 1) {
      divideRow<T>(work, before, v128.splat<T>(inverse), rowBytes);
      mass = 1;
      inverse = 1;
    }
  }
  return logZ + log(product);
}

/** Writes zeros from `out` to `end`, multiples of a vector; returns `end`. */
// @ts-expect-error: decorator
@inline
function clear(out: usize, end: usize): usize {
  const zero = i32x4.splat(0);
  for (; out + 64 <= end; out += 64) {
    v128.store(out, zero);
    v128.store(out, zero, 16);
    v128.store(out, zero, 32);
    v128.store(out, zero, 48);
  }
  for (; out < end; out += 16) v128.store(out, zero);
  return end;
}

/** Computes out = the row in the workspace times a number. */
// @ts-expect-error: decorator
@inline
function keepRow<T>(out: usize, place: usize, factor: v128): void {
  v128.store(out, v128.mul<T>(v128.load(place, rowAt), factor));
}

/** Sets the row in the workspace to exp(e) (start + factor times the sum of entries). */
// @ts-expect-error: decorator
@inline
function nextRow<T>(place: usize, emission: usize, factor: v128): v128 {
  const sum = v128.mul<T>(v128.load(place), factor);
  const value = v128.mul<T>(v128.add<T>(v128.load(place, startAt), sum), v128.load(emission));
  v128.store(place, value, rowAt);
  return value;
}

/** Multiplies the row in the workspace by a factor, and copies it to `out`. */
function divideRow<T>(place: usize, out: usize, factor: v128, rowBytes: usize): void {
  const stop = out + rowBytes;
  for (; out < stop; out += 16) {
    const value = v128.mul<T>(v128.load(place, rowAt), factor);
    v128.store(place, value, rowAt);
    v128.store(out, value);
    place += placeBytes;
  }
}

/**
 * Runs `backward` with lists, except for the sums of edge marginals; returns false if a value is not safe. g_t is left at
 * `outgoing`, with a stride of `nextToken` bytes between tokens and `nextVector` between a token's vectors. The stride of
 * rows at `beta` is `nextBeta`: the bytes of a row, or 0 if beta is not read.
 */
export function backwardSparse<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  beta: usize,
  nextBeta: usize,
  nodes: usize,
  outgoing: usize,
  nextToken: usize,
  nextVector: usize,
  emissions: usize,
  scales: usize,
  lists: usize,
  transitions: usize,
  leastValue: T,
): bool {
  const rowBytes = <usize>width * sizeof<T>();
  const wholeBytes = <usize>(labels & -lanes<T>()) * sizeof<T>();
  const work = load<usize>(lists, 16);
  const base = load<T>(lists, 24);
  let least = v128.splat<T>(<T>Infinity);
  // The sum of the next token's g; the last token has no next token, and its row is 1.
  let total: T = 0;
  for (let t = end - 1; t >= first; t -= 1) {
    const row = <usize>t * rowBytes;
    const factor = v128.splat<T>(<T>1 / load<T>(scales + <usize>t * sizeof<T>()));
    const sum = v128.splat<T>(total);
    let place = work;
    let at = row;
    let out = outgoing + <usize>(t - first) * nextToken;
    let back = beta + <usize>t * nextBeta;
    let a = v128.splat<T>(0), b = a;
    if (t == end - 1) {
      for (let column = 0; column < width; column += lanes<T>()) {
        v128.store(place, v128.and(v128.splat<T>(1), laneMask<T>(column, labels)));
        place += placeBytes;
      }
      place = work;
    } else {
      gather<T>(lists);
      if (load<usize>(lists, 8) != load<usize>(lists, 12)) {
        check<T>(lists, base * total, transitions, width);
      }
    }
    for (; at + 16 < row + wholeBytes; at += 32) {
      const i = v128.add<T>(v128.load(place), v128.mul<T>(v128.load(place, startAt), sum));
      const j = v128.add<T>(
        v128.load(place, placeBytes),
        v128.mul<T>(v128.load(place, placeBytes + startAt), sum),
      );
      v128.store(back, i);
      v128.store(back, j, 16);
      back += 32;
      v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at), i));
      v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at, 16), j), 16);
      least = v128.pmin<T>(v128.pmin<T>(i, j), least);
      const g = v128.mul<T>(i, v128.mul<T>(v128.load(emissions + at), factor));
      const h = v128.mul<T>(j, v128.mul<T>(v128.load(emissions + at, 16), factor));
      v128.store(place, g, rowAt);
      v128.store(place, h, placeBytes + rowAt);
      v128.store(out, g);
      v128.store(out + nextVector, h);
      out += 2 * nextVector;
      a = v128.add<T>(a, g);
      b = v128.add<T>(b, h);
      place += 2 * placeBytes;
    }
    for (; at < row + rowBytes; at += 16) {
      const i = v128.add<T>(v128.load(place), v128.mul<T>(v128.load(place, startAt), sum));
      v128.store(back, i);
      back += 16;
      v128.store(nodes + at, v128.mul<T>(v128.load(alpha + at), i));
      least = v128.pmin<T>(v128.or(i, v128.load(place, pastAt)), least);
      const g = v128.mul<T>(i, v128.mul<T>(v128.load(emissions + at), factor));
      v128.store(place, g, rowAt);
      v128.store(out, g);
      out += nextVector;
      a = v128.add<T>(a, g);
      place += placeBytes;
    }
    total = sumOf<T>(v128.add<T>(a, b));
    // Infinities and NaN show up in the total.
    if (!(total < <T>Infinity)) return false;
  }
  return minOf<T>(least) >= leastValue;
}
