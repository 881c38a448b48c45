import type { EncodedSentence } from '../core/encoded-sentence.js';
import type { ParameterStore } from '../kernels/parameter-store.js';

/** Lets the features of a labelled sentence have weights for its gold labels and label pairs. */
export function observe(parameters: ParameterStore, sentence: EncodedSentence): void {
  const { length, stateStarts, stateRows, edgeStarts, edgeRows } = sentence;
  const gold = sentence.gold!;
  for (let t = 0; t < length; t += 1) {
    const label = gold[t]!;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      parameters.observeState(stateRows[k]!, label);
    }
    if (t === 0) continue;
    parameters.observeEdge(0, gold[t - 1]!, label);
    if (edgeStarts === undefined) continue;
    for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
      parameters.observeEdge(edgeRows![k]!, gold[t - 1]!, label);
    }
  }
  parameters.fitPairs();
}
