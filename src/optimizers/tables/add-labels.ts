import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * Adds what a labelled sentence shows to counts: `weight` times the value of each active feature in the lane of its token's
 * label, and `weight` for each pair of labels. The same as minus the residuals of the loss `joint`, to the bit, at a
 * cost of O(active features) in place of O(active features * L + L^2).
 *
 * @param labels of the sentence's tokens
 */
export function addLabels(
  { width, layout }: Pick<ParameterStore, 'width' | 'layout'>,
  plane: Plane,
  { stateStarts, stateRows, stateValues }: EncodedSentence,
  labels: Int32Array,
  weight: number,
): void {
  const state = plane.state.view;
  const edges = plane.edges.view;
  for (let t = 0; t < labels.length; t += 1) {
    const label = labels[t]!;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = stateValues === undefined ? 1 : stateValues[k]!;
      state[stateRows[k]! * width + label]! += weight * value;
    }
    if (t > 0 && layout.transitions) edges[labels[t - 1]! * width + label]! += weight;
  }
}
