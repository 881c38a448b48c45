import { vectorTimesMatrix } from '../inference/forward-backward';
import { log } from '../log';
import { exponentialsInto } from './exponentials';
import { enteredBytes, Frame, matrixBytes, stateBytes } from './frame';

/**
 * Runs the forward pass over a sentence with computed exponentials; returns the log of the sum over all sequences, or
 * NaN if a number might underflow. For the formulas see `ScaledSegments`.
 */
export function forwardSegments<T>(f: Frame, length: i32, leastValue: f64, furthest: f64): f64 {
  const labels = f.labels;
  const row = <usize>labels * stateBytes(f);
  const rowBytes = (<usize>f.width) << 3;
  memory.fill(f.alpha, 0, <usize>length * row);
  for (let y = 0; y < labels; y += 1) {
    const state = load<i32>(f.firsts + ((<usize>y) << 2));
    store<f64>(f.alpha + <usize>y * stateBytes(f) + ((<usize>state) << 3), 1);
  }
  let logSum: f64 = 0;
  let product: f64 = 1;
  for (let t = 0; t < length; t += 1) {
    if (t > 0) {
      const into = exponentialsInto<T>(f, t, furthest);
      if (into == 0) return NaN;
      step(f, t, into);
    }
    const sum = emit(f, t, leastValue);
    if (!(sum >= leastValue && sum < Infinity)) return NaN;
    store<f64>(f.scales + ((<usize>t) << 3), sum);
    product *= sum;
    if (product < 1e-100 || product > 1e100) {
      logSum += log(product);
      product = 1;
    }
    finish(f, t, 1 / sum);
  }
  let total: f64 = 0;
  const last = f.ends + <usize>(length - 1) * rowBytes;
  for (let y = 0; y < labels; y += 1) total += load<f64>(last + ((<usize>y) << 3));
  store<f64>(f.scales + ((<usize>length) << 3), total);
  if (!(total > 0 && total < Infinity)) return NaN;
  return logSum + log(product) + log(total);
}

/** Steps from the states at token `t - 1` to those at `t`, before scoring its label. */
function step(f: Frame, t: i32, into: usize): void {
  const labels = f.labels;
  const width = f.width;
  const most = (<usize>f.longest) << 3;
  const block = (<usize>f.lengths) << 3;
  const state = stateBytes(f);
  const at = f.alpha + <usize>(t * labels) * state;
  const before = at - <usize>labels * state;
  const size = matrixBytes(f);
  const ends = f.ends + ((<usize>((t - 1) * width)) << 3);
  for (let i = 0; i < f.boundaries; i += 1) {
    vectorTimesMatrix<f64>(f.row, ends, into + <usize>(i + 1) * size, labels, width);
    const startsAt = f.startsAt + ((<usize>(i * labels)) << 2);
    for (let y = 0; y < labels; y += 1) {
      const start = load<i32>(startsAt + ((<usize>y) << 2));
      if (start > 0 && f.befores > 1) {
        enter(f, ends, into + <usize>(i + 1) * size, at + <usize>y * state, y);
        continue;
      }
      const place = at + <usize>y * state + ((<usize>start) << 3);
      store<f64>(place, load<f64>(place) + load<f64>(f.row + ((<usize>y) << 3)));
    }
  }
  let pair = f.pairs;
  for (let p = 0; p < f.insides; p += 1) {
    const y = load<i32>(pair);
    const z = load<i32>(pair, 4);
    const factor = load<f64>(into + ((<usize>(y * width + z)) << 3));
    const from = before + <usize>y * state;
    const to = at + <usize>z * state + 8;
    const end = to + most - 8;
    for (let b: usize = 0; b < most - 8; b += block) {
      for (let d = b + 8; d < b + block; d += 8) {
        store<f64>(to + d, load<f64>(to + d) + load<f64>(from + d) * factor);
      }
      store<f64>(end, load<f64>(end) + load<f64>(from + b + block) * factor);
    }
    store<f64>(end, load<f64>(end) + load<f64>(from + most) * factor);
    pair += 8;
  }
  for (let p = 0; p < f.outsides; p += 1) {
    const y = load<i32>(pair);
    const z = load<i32>(pair, 4);
    const factor = load<f64>(into + ((<usize>(y * width + z)) << 3));
    const to = at + <usize>z * state;
    store<f64>(to, load<f64>(to) + load<f64>(before + <usize>y * state) * factor);
    pair += 8;
  }
}

/** Writes the states of label `y` in which a span starts, one per previous label. */
function enter(f: Frame, ends: usize, factors: usize, row: usize, y: i32): void {
  for (let from = 0; from < f.labels; from += 1) {
    const factor = load<f64>(factors + ((<usize>(from * f.width + y)) << 3));
    const place = row + enteredBytes(f, from);
    store<f64>(place, load<f64>(place) + load<f64>(ends + ((<usize>from) << 3)) * factor);
  }
}

/** Scores the labels of a token; returns the sum of its states, NaN if one might underflow. */
function emit(f: Frame, t: i32, leastValue: f64): f64 {
  const labels = f.labels;
  const state = stateBytes(f);
  const emissions = f.emissions + ((<usize>(t * f.width)) << 3);
  let at = f.alpha + <usize>(t * labels) * state;
  let sum: f64 = 0;
  for (let y = 0; y < labels; y += 1) {
    const e = load<f64>(emissions + ((<usize>y) << 3));
    const end = load<i32>(f.kindOf + ((<usize>y) << 2)) < 0 ? at + 8 : at + state;
    for (let place = at; place < end; place += 8) {
      const value = load<f64>(place) * e;
      if (value < leastValue && value > 0) return NaN;
      store<f64>(place, value);
      sum += value;
    }
    at += state;
  }
  return sum;
}

/** Scales the states of a token, and ends their spans. */
function finish(f: Frame, t: i32, by: f64): void {
  const labels = f.labels;
  const state = stateBytes(f);
  const ends = f.ends + ((<usize>(t * f.width)) << 3);
  const spans = f.spans + <usize>(t * f.kinds) * state;
  let at = f.alpha + <usize>(t * labels) * state;
  for (let y = 0; y < labels; y += 1) {
    const kind = load<i32>(f.kindOf + ((<usize>y) << 2));
    let ended = load<f64>(at) * by;
    store<f64>(at, ended);
    if (kind >= 0) {
      const own = spans + <usize>kind * state;
      for (let d: usize = 8; d < state; d += 8) {
        const value = load<f64>(at + d) * by;
        store<f64>(at + d, value);
        ended += value * load<f64>(own + d);
      }
    }
    store<f64>(ends + ((<usize>y) << 3), ended);
    at += state;
  }
}
