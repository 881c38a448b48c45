import type { LayerPairs } from '../../../core/layer-pairs.js';
import type { Lattice } from '../../../kernels/lattice.js';
import { LayerMessages } from './layer-messages.js';

/** Rounds of messages at most. */
const mostRounds = 50;

/** Messages that change by less have converged. */
const tolerance = 1e-6;

/**
 * Approximate p(y_t = p | x) of the labels of two layers by loopy belief propagation: into `lattice.nodes`, and the
 * rounds that it took. Needs `fillLayers` of the batch.
 *
 * The layers take turns: one sums over its whole chain, exactly, with what the other says of each token,
 *
 *     up_t(a) = sum over pairs (a, b) of exp(e_t(a, b)) down_t(b),   down_t(b) = forward_t(b) backward_t(b),
 *
 * until the messages change by less than 1e-6, or after 50 rounds. A belief is exp(e_t(a, b)) times the messages of both
 * chains at the token. Exact where one layer has a single column, and where the layers do not depend on each other. Cost
 * of a round O(T (A^2 + B^2 + P)), for layers of A and B columns and P pairs; exact sums cost O(T P^2). Murphy, Weiss and
 * Jordan (1999).
 */
export function loopyMarginals(lattice: Lattice, s: number, { first, second }: LayerPairs): number {
  const { sentenceStarts } = lattice.batch!;
  const start = sentenceStarts[s]!;
  const length = sentenceStarts[s + 1]! - start;
  const local = localFactors(lattice, start, length, first.length);
  const columns = lattice.columns!;
  const layers = [first, second].map(own => new LayerMessages(columns, own, length));
  const [one, other] = layers as [LayerMessages, LayerMessages];
  let rounds = 0;
  for (let change = Number.POSITIVE_INFINITY; change > tolerance && rounds < mostRounds; ) {
    one.hear(local, other);
    change = one.pass();
    other.hear(local, one);
    change = Math.max(change, other.pass());
    rounds += 1;
  }
  const nodes = lattice.nodes.view;
  for (let t = 0; t < length; t += 1) {
    const row = (start + t) * lattice.width;
    let sum = 0;
    for (let p = 0; p < first.length; p += 1) {
      sum += local[t * first.length + p]! * one.said(t, p) * other.said(t, p);
    }
    for (let p = 0; p < first.length; p += 1) {
      const belief = local[t * first.length + p]! * one.said(t, p) * other.said(t, p);
      nodes[row + p] = belief / sum;
    }
  }
  return rounds;
}

/** exp of the scores of the pairs of each token, less their maximum. */
function localFactors(
  { emissionScores, width }: Lattice,
  start: number,
  length: number,
  pairs: number,
): Float64Array {
  const scores = emissionScores.view;
  const factors = new Float64Array(length * pairs);
  for (let t = 0; t < length; t += 1) {
    const row = (start + t) * width;
    let most = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < pairs; p += 1) most = Math.max(most, scores[row + p]!);
    for (let p = 0; p < pairs; p += 1) factors[t * pairs + p] = Math.exp(scores[row + p]! - most);
  }
  return factors;
}
