import { matrixTimesVector, sumTransitions } from '../inference/forward-backward';
import { storePair } from '../vectors';
import { exponentialsInto } from './exponentials';
import { enteredBytes, Frame, matrixBytes, slotOf, stateBytes } from './frame';

/**
 * Runs the backward pass after the forward pass: computes probabilities of labels, label pairs and spans. Returns false if a
 * number might underflow.
 */
export function backwardSegments<T>(
  f: Frame,
  first: i32,
  length: i32,
  leastValue: f64,
  furthest: f64,
): bool {
  const labels = f.labels;
  const width = f.width;
  const rowBytes = (<usize>width) << 3;
  const size = matrixBytes(f);
  const by = 1 / load<f64>(f.scales + ((<usize>length) << 3));
  const perToken = (<usize>(f.longest * f.kinds)) << 3;
  memory.fill(f.spanNodes + <usize>first * perToken, 0, <usize>length * perToken);
  memory.fill(f.pairSums, 0, (<usize>(f.insides + f.outsides)) << 3);
  memory.fill(f.edgeSums, 0, size);
  if (f.befores > 1) memory.fill(f.entered, 0, size);
  memory.fill(f.beta, 0, <usize>labels * stateBytes(f));
  for (let t = length - 1; t >= 0; t -= 1) {
    const rest = f.rest + <usize>t * rowBytes;
    if (t == length - 1) {
      for (let y = 0; y < width; y += 1) store<f64>(rest + ((<usize>y) << 3), y < labels ? 1 : 0);
    } else {
      const isOwn = slotOf(f, t + 1) >= 0;
      const into = exponentialsInto<T>(f, t + 1, furthest);
      reach(f, t + 1, length);
      step(f, t, length, into, isOwn);
      if (isOwn) {
        const edges = f.edges + <usize>slotOf(f, t + 1) * <usize>f.matrixSize * sizeof<T>();
        write<T>(f, edges, f.edgeSums + size, by);
        for (let at: usize = 0; at < size; at += 16) {
          const sum = v128.load(f.edgeSums + at);
          v128.store(f.edgeSums + at, f64x2.add(sum, v128.load(f.edgeSums + size + at)));
        }
      }
    }
    if (!finish<T>(f, first, t, by, leastValue)) return false;
  }
  addPlain(f, length);
  write<T>(f, f.sums, f.edgeSums, by);
  return by < Infinity;
}

/** Scores token `t` in the following states, and takes out the states after a pair at which a span ends. */
function reach(f: Frame, t: i32, length: i32): void {
  const labels = f.labels;
  const width = f.width;
  const state = stateBytes(f);
  const after = f.beta;
  f.beta = f.after;
  f.after = after;
  const by = 1 / load<f64>(f.scales + ((<usize>t) << 3));
  const emissions = f.emissions + ((<usize>(t * width)) << 3);
  for (let y = 0; y < labels; y += 1) {
    const e = f64x2.splat(load<f64>(emissions + ((<usize>y) << 3)) * by);
    const row = after + <usize>y * state;
    for (let d: usize = 0; d < state; d += 16) {
      v128.store(row + d, f64x2.mul(v128.load(row + d), e));
    }
  }
  for (let i = 0; i < f.boundaries; i += 1) {
    const reached = f.reached + ((<usize>((i * length + t) * width)) << 3);
    const startsAt = f.startsAt + ((<usize>(i * labels)) << 2);
    for (let y = 0; y < labels; y += 1) {
      const start = load<i32>(startsAt + ((<usize>y) << 2));
      const value = load<f64>(after + <usize>y * state + ((<usize>start) << 3));
      // `enter` takes out the states that depend on the label before a span.
      store<f64>(reached + ((<usize>y) << 3), start > 0 && f.befores > 1 ? 0 : value);
    }
    for (let y = labels; y < width; y += 1) store<f64>(reached + ((<usize>y) << 3), 0);
  }
}

/**
 * Steps from the states at token `t + 1` to those at `t`, before any span ends there; adds to the sums of label pairs
 * inside spans and, if the token has its own transitions, computes all edge marginals.
 */
function step(f: Frame, t: i32, length: i32, into: usize, isOwn: bool): void {
  const labels = f.labels;
  const width = f.width;
  const most = (<usize>f.longest) << 3;
  const block = (<usize>f.lengths) << 3;
  const state = stateBytes(f);
  const size = matrixBytes(f);
  const rowBytes = (<usize>width) << 3;
  const beta = f.beta;
  const after = f.after;
  const alpha = f.alpha + <usize>(t * labels) * state;
  const rest = f.rest + <usize>t * rowBytes;
  const ends = f.ends + <usize>t * rowBytes;
  const own = f.edgeSums + size;
  if (isOwn) memory.fill(own, 0, size);
  memory.fill(beta, 0, <usize>labels * state);
  for (let i = 0; i < f.boundaries; i += 1) {
    const factors = into + <usize>(i + 1) * size;
    const reached = f.reached + <usize>(i * length + t + 1) * rowBytes;
    matrixTimesVector<f64>(i == 0 ? rest : f.row, factors, reached, labels, width);
    for (let at: usize = 0; i > 0 && at < rowBytes; at += 16) {
      v128.store(rest + at, f64x2.add(v128.load(rest + at), v128.load(f.row + at)));
    }
    for (let y = 0; isOwn && y < labels; y += 1) {
      const mass = v128.load64_splat(ends + ((<usize>y) << 3));
      const row = <usize>y * rowBytes;
      for (let at: usize = 0; at < rowBytes; at += 16) {
        const pair = f64x2.mul(v128.load(factors + row + at), v128.load(reached + at));
        const sum = v128.load(own + row + at);
        v128.store(own + row + at, f64x2.add(sum, f64x2.mul(mass, pair)));
      }
    }
    if (f.befores > 1) enter(f, i, factors, rest, ends, isOwn ? own : 0);
  }
  let pair = f.pairs;
  let sums = f.pairSums;
  for (let p = 0; p < f.insides + f.outsides; p += 1) {
    const y = load<i32>(pair);
    const z = load<i32>(pair, 4);
    const place = (<usize>(y * width + z)) << 3;
    const factor = load<f64>(into + place);
    const from = <usize>y * state;
    const to = after + <usize>z * state;
    let sum: f64 = 0;
    if (p >= f.insides) {
      const follows = load<f64>(to);
      store<f64>(beta + from, load<f64>(beta + from) + factor * follows);
      sum = load<f64>(alpha + from) * follows;
    } else {
      const longer = load<f64>(to + most);
      for (let b: usize = 0; b < most; b += block) {
        // The last block has only the state of longer spans.
        const last = min<usize>(b + block, most);
        for (let d = b + 8; d <= last; d += 8) {
          const follows = d == last ? longer : load<f64>(to + d + 8);
          store<f64>(beta + from + d, load<f64>(beta + from + d) + factor * follows);
          sum += load<f64>(alpha + from + d) * follows;
        }
      }
    }
    if (isOwn) store<f64>(own + place, load<f64>(own + place) + factor * sum);
    else store<f64>(sums, load<f64>(sums) + sum);
    pair += 8;
    sums += 8;
  }
}

/**
 * Takes out the states in which spans start, one per previous label; adds the pairs into them to the token's edge marginals,
 * or to the sums around plain transitions if `own` is 0.
 */
function enter(f: Frame, mask: i32, factors: usize, rest: usize, ends: usize, own: usize): void {
  const labels = f.labels;
  const state = stateBytes(f);
  const startsAt = f.startsAt + ((<usize>(mask * labels)) << 2);
  const masks = f.masks + <usize>mask * matrixBytes(f);
  for (let y = 0; y < labels; y += 1) {
    if (load<i32>(startsAt + ((<usize>y) << 2)) == 0) continue;
    const after = f.after + <usize>y * state;
    for (let from = 0; from < labels; from += 1) {
      const place = (<usize>(from * f.width + y)) << 3;
      if (load<f64>(masks + place) == 0) continue;
      const follows = load<f64>(after + enteredBytes(f, from));
      const at = (<usize>from) << 3;
      const factor = load<f64>(factors + place);
      store<f64>(rest + at, load<f64>(rest + at) + factor * follows);
      const pair = load<f64>(ends + at) * follows;
      const sum = own == 0 ? f.entered + place : own + place;
      store<f64>(sum, load<f64>(sum) + (own == 0 ? pair : pair * factor));
    }
  }
}

/** Ends spans at token `t`, which completes its backward values and its probabilities. */
function finish<T>(f: Frame, first: i32, t: i32, by: f64, leastValue: f64): bool {
  const labels = f.labels;
  const width = f.width;
  const kinds = f.kinds;
  const longest = f.longest;
  const beta = f.beta;
  const state = stateBytes(f);
  const alpha = f.alpha + <usize>(t * labels) * state;
  const rest = f.rest + ((<usize>(t * width)) << 3);
  const spans = f.spans + <usize>(t * kinds) * state;
  const spanNodes = f.spanNodes + ((<usize>((first + t) * longest * kinds)) << 3);
  const nodes = f.nodes + <usize>((first + t) * width) * sizeof<T>();
  const step = (<usize>kinds) << 3;
  for (let y = 0; y < labels; y += 1) {
    const own = beta + <usize>y * state;
    const at = alpha + <usize>y * state;
    const kind = load<i32>(f.kindOf + ((<usize>y) << 2));
    const remaining = load<f64>(rest + ((<usize>y) << 3));
    const outside = load<f64>(own) + remaining;
    if (outside < leastValue && outside > 0) return false;
    store<f64>(own, outside);
    let node = load<f64>(at) * outside;
    if (kind >= 0) {
      const span = spans + <usize>kind * state;
      let place = spanNodes + ((<usize>kind) << 3);
      for (let d: usize = 8; d <= (<usize>longest) << 3; d += 8) {
        const ended = load<f64>(span + d) * remaining;
        const value = load<f64>(own + d) + ended;
        if (value < leastValue && value > 0) return false;
        store<f64>(own + d, value);
        const a = load<f64>(at + d);
        node += a * value;
        store<f64>(place, load<f64>(place) + a * ended * by);
        place += step;
      }
    }
    store<T>(nodes + <usize>y * sizeof<T>(), <T>(node * by));
  }
  for (let y = labels; y < width; y += 1) store<T>(nodes + <usize>y * sizeof<T>(), 0);
  return true;
}

/** Adds the edge marginals of all tokens with plain transitions to the sums. */
function addPlain(f: Frame, length: i32): void {
  const labels = f.labels;
  const width = f.width;
  const size = matrixBytes(f);
  const rowBytes = (<usize>width) << 3;
  const own = f.edgeSums + size;
  for (let i = 0; i < f.boundaries; i += 1) {
    const reached = f.reached + <usize>(i * length) * rowBytes;
    const factors = f.plain + <usize>(i + 1) * size;
    sumTransitions<f64>(0, length, labels, rowBytes, f.ends, reached, factors, f.slots, own);
    for (let at: usize = 0; at < size; at += 16) {
      v128.store(f.edgeSums + at, f64x2.add(v128.load(f.edgeSums + at), v128.load(own + at)));
    }
  }
  for (let at: usize = 0; f.befores > 1 && at < size; at += 16) {
    const sum = f64x2.mul(v128.load(f.entered + at), v128.load(f.plain + at));
    v128.store(f.edgeSums + at, f64x2.add(v128.load(f.edgeSums + at), sum));
  }
  let pair = f.pairs;
  for (let p = 0; p < f.insides + f.outsides; p += 1) {
    const place = (<usize>(load<i32>(pair) * width + load<i32>(pair, 4))) << 3;
    const sum = load<f64>(f.pairSums + ((<usize>p) << 3)) * load<f64>(f.plain + place);
    store<f64>(f.edgeSums + place, load<f64>(f.edgeSums + place) + sum);
    pair += 8;
  }
}

/** Writes label-pair sums, times a factor, to a matrix of the lattice. */
function write<T>(f: Frame, out: usize, sums: usize, factor: f64): void {
  const by = f64x2.splat(factor);
  const count = f.labels * f.width;
  for (let i = 0; i < count; i += 2) {
    const value = f64x2.mul(by, v128.load(sums + ((<usize>i) << 3)));
    storePair<T>(out + <usize>i * sizeof<T>(), value);
  }
  memory.fill(out + <usize>count * sizeof<T>(), 0, <usize>(f.matrixSize - count) * sizeof<T>());
}
