import type { Reals } from '../../core/arrays.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** Weights of a model that are not zero, by kind. Cost O(all weights). */
export function activeWeights({ weights, matrixSize }: ParameterStore) {
  const unigram = nonZero(weights.state.view);
  const transitions = nonZero(weights.edges.view.subarray(0, matrixSize));
  const edges = nonZero(weights.edges.view.subarray(matrixSize)) + nonZero(weights.pairs.view);
  const bigram = transitions + edges;
  return { unigram, transitions, edges, bigram, active: unigram + bigram };
}

function nonZero(numbers: Reals): number {
  let count = 0;
  for (let i = 0; i < numbers.length; i += 1) if (numbers[i] !== 0) count += 1;
  return count;
}
