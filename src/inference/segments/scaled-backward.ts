import type { Lattice } from '../../kernels/lattice.js';
import type { PairExponentials } from './pair-exponentials.js';
import type { SegmentArrays } from './segment-arrays.js';
import { exponentialsInto, leastValue } from './segment-exponentials.js';

/**
 * The backward pass of `ScaledSegments` after the forward pass: probabilities of labels, label pairs and spans of
 * sentence `s` into the lattice. False where a number might underflow.
 */
export function scaledBackward(work: SegmentArrays, lattice: Lattice, s: number): boolean {
  const { tables, length, first, rest, plain, total } = work;
  const { labels } = tables;
  const { width, matrixSize } = lattice;
  const segments = lattice.segments!;
  segments.nodes.fill(0, first * segments.perToken, (first + length) * segments.perToken);
  lattice.nodes.view.fill(0, first * width, (first + length) * width);
  const at = lattice.pairSumsAt(s);
  const sums = lattice.transitions.view.subarray(at, at + matrixSize);
  sums.fill(0);
  plain.clearSums();
  work.beta.fill(0);
  for (let t = length - 1; t >= 0; t -= 1) {
    if (t === length - 1) {
      rest.fill(1, t * labels, (t + 1) * labels);
    } else {
      const slot = work.slotAt(lattice, t + 1);
      const into = exponentialsInto(work, lattice, t + 1)!;
      if (slot >= 0) into.clearSums();
      step(work, t, into);
      if (slot >= 0) {
        const start = slot * matrixSize;
        const matrix = lattice.edges.view.subarray(start, start + matrixSize);
        matrix.fill(0);
        into.addTo(matrix, labels, width, 1 / total);
        into.addTo(sums, labels, width, 1 / total);
      }
    }
    if (!finish(work, lattice, t)) return false;
  }
  plain.addTo(sums, labels, width, 1 / total);
  return Number.isFinite(1 / total);
}

/** From the states at token `t + 1` to those at `t`, no span ended at it yet; adds to the sums of pairs. */
function step(
  work: SegmentArrays,
  t: number,
  { all, sums, boundaries, boundarySums }: PairExponentials,
): void {
  const { tables, alpha, ends, rest, emissions, scales, reached } = work;
  const { labels, states } = tables;
  const { insideFrom, insideTo, outsideFrom, outsideTo } = tables;
  const { beta: after, after: beta } = work;
  work.beta = beta;
  work.after = after;
  const by = 1 / scales[t + 1]!;
  for (let y = 0; y < labels; y += 1) {
    const e = emissions[(t + 1) * labels + y]! * by;
    for (let i = y * states; i < (y + 1) * states; i += 1) after[i]! *= e;
  }
  const at = t * labels * states;
  const own = t * labels;
  rest.fill(0, own, own + labels);
  beta.fill(0, 0, labels * states);
  for (let i = 0; i < boundaries.length; i += 1) {
    const factors = boundaries[i]!;
    const pairs = boundarySums[i]!;
    const { startsAt } = tables.boundaries[i]!;
    for (let to = 0; to < labels; to += 1) reached[to] = after[to * states + startsAt[to]!]!;
    let pair = 0;
    for (let from = 0; from < labels; from += 1) {
      const before = ends[own + from]!;
      let sum = 0;
      for (let to = 0; to < labels; to += 1) {
        const follows = reached[to]!;
        sum += factors[pair]! * follows;
        pairs[pair]! += before * follows;
        pair += 1;
      }
      rest[own + from]! += sum;
    }
  }
  for (let p = 0; p < outsideFrom.length; p += 1) {
    const from = outsideFrom[p]!;
    const to = outsideTo[p]!;
    const follows = after[to * states]!;
    beta[from * states]! += all[from * labels + to]! * follows;
    sums[from * labels + to]! += alpha[at + from * states]! * follows;
  }
  const longest = Math.min(t + 1, states - 1);
  for (let p = 0; p < insideFrom.length; p += 1) {
    const from = insideFrom[p]! * states;
    const to = insideTo[p]! * states;
    const pair = insideFrom[p]! * labels + insideTo[p]!;
    const factor = all[pair]!;
    let sum = 0;
    for (let d = 1; d <= longest; d += 1) {
      const follows = after[to + (d + 1 < states ? d + 1 : d)]!;
      beta[from + d]! += factor * follows;
      sum += alpha[at + from + d]! * follows;
    }
    sums[pair]! += sum;
  }
}

/** Ends spans at token `t`: its backward values are whole then, and its probabilities known. */
function finish(work: SegmentArrays, lattice: Lattice, t: number): boolean {
  const { tables, first, alpha, beta, rest, spans, total } = work;
  const { labels, states, opens, typeOf, types } = tables;
  const kinds = types.length;
  const segments = lattice.segments!;
  const spanNodes = segments.nodes;
  const nodes = lattice.nodes.view;
  const firstSpan = first * segments.perToken;
  const longest = Math.min(t + 1, states - 1);
  const by = 1 / total;
  for (let y = 0; y < labels; y += 1) {
    const own = y * states;
    const at = (t * labels + y) * states;
    const remaining = rest[t * labels + y]!;
    const outside = beta[own]! + remaining;
    if (outside < leastValue && outside > 0) return false;
    beta[own] = outside;
    let node = alpha[at]! * outside;
    if (opens[y] === 1) {
      let place = t * (states - 1) * kinds + typeOf[y]!;
      for (let d = 1; d <= longest; d += 1) {
        const ended = spans[place]! * remaining;
        const value = beta[own + d]! + ended;
        if (value < leastValue && value > 0) return false;
        beta[own + d] = value;
        const a = alpha[at + d]!;
        node += a * value;
        spanNodes[firstSpan + place]! += a * ended * by;
        place += kinds;
      }
    }
    nodes[(first + t) * lattice.width + y] = node * by;
  }
  return true;
}
