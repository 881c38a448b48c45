import type { Lattice } from '../../kernels/lattice.js';
import type { PairExponentials } from './pair-exponentials.js';
import type { SegmentArrays } from './segment-arrays.js';
import { exponentialsInto, leastValue } from './segment-exponentials.js';

/**
 * The forward pass of `ScaledSegments` over a sentence whose exponentials are there; returns log of the sum, less what
 * they were made smaller by, or NaN where a number might underflow.
 */
export function scaledForward(work: SegmentArrays, lattice: Lattice): number {
  const { tables, length, alpha, ends } = work;
  const { labels, states, first } = tables;
  const row = labels * states;
  alpha.fill(0, 0, length * row);
  for (let y = 0; y < labels; y += 1) alpha[y * states + first[y]!] = 1;
  let logScale = 0;
  for (let t = 0; t < length; t += 1) {
    if (t > 0) {
      const into = exponentialsInto(work, lattice, t);
      if (into === undefined) return Number.NaN;
      step(work, t, into);
    }
    const sum = emit(work, t);
    if (!(sum >= leastValue && sum < Number.POSITIVE_INFINITY)) return Number.NaN;
    work.scales[t] = sum;
    logScale += Math.log(sum);
    finish(work, t, 1 / sum);
  }
  let total = 0;
  for (let i = (length - 1) * labels; i < length * labels; i += 1) total += ends[i]!;
  work.total = total;
  return total > 0 && total < Number.POSITIVE_INFINITY ? logScale + Math.log(total) : Number.NaN;
}

/** From the states at token `t - 1` to those at `t`, its label not yet scored. */
function step(
  { tables, alpha, ends, reached }: SegmentArrays,
  t: number,
  { all, boundaries }: PairExponentials,
): void {
  const { labels, states } = tables;
  const { insideFrom, insideTo, outsideFrom, outsideTo } = tables;
  const at = t * labels * states;
  const before = at - labels * states;
  const ended = (t - 1) * labels;
  for (let i = 0; i < boundaries.length; i += 1) {
    const factors = boundaries[i]!;
    const { startsAt } = tables.boundaries[i]!;
    for (let to = 0; to < labels; to += 1) reached[to] = 0;
    let pair = 0;
    for (let from = 0; from < labels; from += 1) {
      const before = ends[ended + from]!;
      for (let to = 0; to < labels; to += 1) {
        reached[to]! += before * factors[pair]!;
        pair += 1;
      }
    }
    for (let to = 0; to < labels; to += 1) alpha[at + to * states + startsAt[to]!]! += reached[to]!;
  }
  for (let p = 0; p < outsideFrom.length; p += 1) {
    const from = outsideFrom[p]!;
    const to = outsideTo[p]!;
    alpha[at + to * states]! += alpha[before + from * states]! * all[from * labels + to]!;
  }
  const longest = Math.min(t, states - 1);
  for (let p = 0; p < insideFrom.length; p += 1) {
    const from = before + insideFrom[p]! * states;
    const to = at + insideTo[p]! * states;
    const factor = all[insideFrom[p]! * labels + insideTo[p]!]!;
    for (let d = 1; d <= longest; d += 1) {
      alpha[to + (d + 1 < states ? d + 1 : d)]! += alpha[from + d]! * factor;
    }
  }
}

/** Scores the labels of a token; the sum of its states, NaN where one might underflow. */
function emit({ tables, alpha, emissions }: SegmentArrays, t: number): number {
  const { labels, states } = tables;
  let sum = 0;
  let at = t * labels * states;
  for (let y = 0; y < labels; y += 1) {
    const e = emissions[t * labels + y]!;
    for (let d = 0; d < states; d += 1) {
      const value = alpha[at]! * e;
      if (value < leastValue && value > 0) return Number.NaN;
      alpha[at] = value;
      sum += value;
      at += 1;
    }
  }
  return sum;
}

/** Scales the states of a token, and ends the spans that they are in. */
function finish({ tables, alpha, ends, spans }: SegmentArrays, t: number, by: number): void {
  const { labels, states, opens, typeOf, types } = tables;
  const kinds = types.length;
  const longest = Math.min(t + 1, states - 1);
  for (let y = 0; y < labels; y += 1) {
    const own = (t * labels + y) * states;
    let ended = alpha[own]! * by;
    alpha[own] = ended;
    if (opens[y] === 1) {
      let place = t * (states - 1) * kinds + typeOf[y]!;
      for (let d = 1; d <= longest; d += 1) {
        const value = alpha[own + d]! * by;
        alpha[own + d] = value;
        ended += value * spans[place]!;
        place += kinds;
      }
    }
    ends[t * labels + y] = ended;
  }
}
