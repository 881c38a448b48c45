import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';

/** Whether the parameters of a chain have a row of float64 for each feature, and their sums are the potentials. */
export function hasPlainRows({
  layout,
  compressed,
  statePairs,
  precision,
}: ParameterStore): boolean {
  if (compressed !== undefined || statePairs !== undefined || precision !== 'float64') return false;
  return layout.prune === undefined && layout.components === undefined;
}

/**
 * The score of the labels of a sentence, its gold ones, from the weights: what `score` and `pathScore` of a kernel in
 * float64 come to, to the bit, at a cost of O(active features) in place of O(active features * L + L^2).
 *
 * @param gold labels of a batch, those of the sentence from `first` on
 */
export function labelScore(
  { weights, width, scale }: ParameterStore,
  { length, stateStarts, stateRows, stateValues }: EncodedSentence,
  gold: Int32Array,
  first: number,
): number {
  const state = weights.state.view;
  const edges = weights.edges.view;
  let total = 0;
  for (let t = 0; t < length; t += 1) {
    const label = gold[first + t]!;
    let score = 0;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const weight = state[stateRows[k]! * width + label]!;
      score += stateValues === undefined ? weight : stateValues[k]! * weight;
    }
    if (t > 0) total += scale * edges[gold[first + t - 1]! * width + label]!;
    total += scale * score;
  }
  return total;
}
