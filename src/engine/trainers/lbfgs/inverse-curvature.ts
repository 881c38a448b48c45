import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Objective } from '../objective.js';

/**
 * Returns a step size per weight, approximately the inverse of the Hessian's diagonal for the log loss with all L
 * labels equally probable:
 *
 *     1 / (2 l2 + (1 / L) (1 - 1 / L) sum over the corpus of f_k^2)
 *
 * with 1 / L^2 instead of 1 / L for transitions. Cost: one pass over all features of the corpus.
 */
export function inverseCurvature({ corpus, free, parameters, l2 }: Objective): Float64Array {
  const { labels, width, matrixSize, pairs, layout } = parameters;
  const state = new Float64Array(parameters.stateRows);
  const edges = new Float64Array(parameters.edgeRows);
  let transitions = 0;
  for (const minibatch of corpus) {
    minibatch.labelled.forEach((known, s) => {
      const { sentenceStarts } = minibatch;
      if (known === 1) transitions += sentenceStarts[s + 1]! - sentenceStarts[s]! - 1;
    });
    const scored = minibatch.positions ?? minibatch;
    addSquares(scored.stateStarts, scored.stateRows, scored.stateValues, state, scored, 0);
    if (scored.edgeStarts === undefined) continue;
    addSquares(scored.edgeStarts, scored.edgeRows!, scored.edgeValues, edges, scored, 1);
  }
  if (layout.transitions) edges[0] = transitions;
  const inverse = new Float64Array(free.size);
  const one = (1 / labels) * (1 - 1 / labels);
  const two = one / labels;
  // A weight without penalty and tokens has no gradient either.
  const of = (squares: number, share: number) => 1 / (2 * l2 + share * squares || 1);
  let k = 0;
  for (const place of free.state) inverse[k++] = of(state[Math.floor(place / width)]!, one);
  for (const place of free.edges) inverse[k++] = of(edges[Math.floor(place / matrixSize)]!, two);
  for (let feature = 0; feature < pairs.heads.length; feature += 1) {
    for (let slot = pairs.heads[feature]!; slot >= 0; slot = pairs.next[slot]!) {
      inverse[k + slot] = of(edges[feature]!, two);
    }
  }
  return inverse;
}

function addSquares(
  starts: Uint32Array,
  rows: Uint32Array,
  values: Float64Array | undefined,
  into: Float64Array,
  { labelled, sentenceStarts }: Minibatch,
  firstToken: number,
): void {
  for (let s = 0; s < labelled.length; s += 1) {
    if (labelled[s] === 0) continue;
    const end = starts[sentenceStarts[s + 1]!]!;
    for (let i = starts[sentenceStarts[s]! + firstToken]!; i < end; i += 1) {
      const value = values === undefined ? 1 : values[i]!;
      into[rows[i]!]! += value * value;
    }
  }
}
