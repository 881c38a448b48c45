import { exp } from '../exp';
import { laneMask, loadPair } from '../vectors';
import { Frame, matrixBytes, slotOf, stateBytes } from './frame';

/**
 * Computes the exponentials of a sentence's label scores, minus each token's best score, of its span scores and of
 * plain transitions. Returns the sum of the subtracted maxima, or NaN if scores differ by more than `furthest`.
 */
export function exponentiateSegments<T>(f: Frame, first: i32, length: i32, furthest: f64): f64 {
  const rowBytes = <usize>f.width * sizeof<T>();
  let subtracted: f64 = 0;
  for (let t = 0; t < length; t += 1) {
    const scores = f.emissionScores + <usize>(first + t) * rowBytes;
    const out = f.emissions + <usize>t * ((<usize>f.width) << 3);
    const best = exponentiateRow<T>(scores, out, f.labels, f.width, furthest);
    if (isNaN<f64>(best)) return NaN;
    subtracted += best;
  }
  if (!exponentiateSpans(f, first, length, furthest)) return NaN;
  return exponentiatePairs<T>(f, f.transitionScores, f.plain, furthest) ? subtracted : NaN;
}

/** Writes exponentials of a row; returns the best score, or NaN if another possible score is too far from it. */
function exponentiateRow<T>(scores: usize, out: usize, labels: i32, width: i32, furthest: f64): f64 {
  let most = f64x2.splat(-Infinity);
  let lowest = f64x2.splat(Infinity);
  for (let y = 0; y < labels; y += 2) {
    const score = loadPair<T>(scores + <usize>y * sizeof<T>());
    const is = laneMask<f64>(y, labels);
    const possible = v128.and(is, f64x2.ne(score, f64x2.splat(-Infinity)));
    most = f64x2.pmax(most, v128.bitselect(score, f64x2.splat(-Infinity), is));
    lowest = f64x2.pmin(lowest, v128.bitselect(score, f64x2.splat(Infinity), possible));
  }
  const best = max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1));
  const least = min(f64x2.extract_lane(lowest, 0), f64x2.extract_lane(lowest, 1));
  if (!(best - least <= furthest)) return NaN;
  const shift = f64x2.splat(best);
  for (let y = 0; y < width; y += 4) {
    const at = scores + <usize>y * sizeof<T>();
    const a = exp<f64>(f64x2.sub(loadPair<T>(at), shift));
    const b = exp<f64>(f64x2.sub(loadPair<T>(at + 2 * sizeof<T>()), shift));
    const to = out + ((<usize>y) << 3);
    v128.store(to, v128.and(a, laneMask<f64>(y, labels)));
    v128.store(to, v128.and(b, laneMask<f64>(y + 2, labels)), 16);
  }
  return best;
}

/**
 * Turns scores by length and type into exponentials by type and length, with 1 at length 0, which means no span.
 */
function exponentiateSpans(f: Frame, first: i32, length: i32, furthest: f64): bool {
  const kinds = f.kinds;
  const longest = f.longest;
  const perToken = longest * kinds;
  const limit = f64x2.splat(furthest);
  const row = stateBytes(f);
  let near = i64x2.splat(-1);
  for (let t = 0; t < length; t += 1) {
    const from = f.spanScores + ((<usize>((first + t) * perToken)) << 3);
    const to = f.spans + <usize>(t * kinds) * row;
    for (let k = 0; k < kinds; k += 1) {
      const own = to + <usize>k * row;
      store<f64>(own, 1);
      if (f.states > longest + 1) store<f64>(own + row - 8, 0);
    }
    let kind = 0;
    let d = 1;
    // If their number is odd, the last value is read with the next token's first, or with an unused value.
    for (let i = 0; i < perToken; i += 2) {
      const score = v128.load(from + ((<usize>i) << 3));
      const value = exp<f64>(score);
      const isNear = f64x2.le(f64x2.abs(score), limit);
      const is = i + 1 < perToken;
      near = v128.and(near, is ? isNear : v128.or(isNear, i64x2(0, -1)));
      store<f64>(to + <usize>kind * row + ((<usize>d) << 3), f64x2.extract_lane(value, 0));
      kind += 1;
      if (kind == kinds) {
        kind = 0;
        d += 1;
      }
      if (!is) break;
      store<f64>(to + <usize>kind * row + ((<usize>d) << 3), f64x2.extract_lane(value, 1));
      kind += 1;
      if (kind == kinds) {
        kind = 0;
        d += 1;
      }
    }
  }
  return i64x2.all_true(near);
}

/**
 * Computes the exponentials of all transitions, and of each mask's; returns false if a finite score is further from 0
 * than `furthest`.
 */
export function exponentiatePairs<T>(f: Frame, scores: usize, out: usize, furthest: f64): bool {
  const labels = f.labels;
  const width = f.width;
  const size = matrixBytes(f);
  const limit = f64x2.splat(furthest);
  let near = i64x2.splat(-1);
  for (let from = 0; from < labels; from += 1) {
    const row = <usize>(from * width);
    for (let to = 0; to < width; to += 2) {
      const is = laneMask<f64>(to, labels);
      const score = v128.and(loadPair<T>(scores + (row + <usize>to) * sizeof<T>()), is);
      const isNear = f64x2.le(f64x2.abs(score), limit);
      near = v128.and(near, v128.or(isNear, f64x2.eq(score, f64x2.splat(-Infinity))));
      const value = v128.and(exp<f64>(score), is);
      const at = (row + <usize>to) << 3;
      v128.store(out + at, value);
      for (let i = 0; i < f.boundaries; i += 1) {
        const mask = v128.load(f.masks + <usize>i * size + at);
        v128.store(out + <usize>(i + 1) * size + at, f64x2.mul(mask, value));
      }
    }
  }
  return i64x2.all_true(near);
}

/** Returns the address of the exponentials of the transitions into a token; 0 if they are out of range. */
export function exponentialsInto<T>(f: Frame, t: i32, furthest: f64): usize {
  const slot = slotOf(f, t);
  if (slot < 0) return f.plain;
  const scores = f.edgeScores + <usize>slot * <usize>f.matrixSize * sizeof<T>();
  return exponentiatePairs<T>(f, scores, f.own, furthest) ? f.own : 0;
}
