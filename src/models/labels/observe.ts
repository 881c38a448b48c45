import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * Lets the features of a labelled sentence have weights for its gold labels and label pairs: for each
 * label that a token may have, where it is partially labelled, and for pairs of them at neighbours. Tokens
 * of which nothing is known bring no weights.
 */
export function observe(parameters: ParameterStore, sentence: EncodedSentence): void {
  const { length, stateStarts, stateRows, edgeStarts, edgeRows } = sentence;
  const starts = sentence.allowed?.starts;
  const labels = sentence.allowed?.labels ?? sentence.gold!;
  // Labels of token t - 1 begin here; where each token has one, they are numbered as the tokens.
  let before = 0;
  for (let t = 0; t < length; t += 1) {
    const first = starts?.[t] ?? t;
    const end = starts?.[t + 1] ?? t + 1;
    for (let to = first; to < end; to += 1) {
      const label = labels[to]!;
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        parameters.observeState(stateRows[k]!, label);
      }
      for (let from = before; from < first; from += 1) {
        parameters.observeEdge(0, labels[from]!, label);
        if (edgeStarts === undefined) continue;
        for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
          parameters.observeEdge(edgeRows![k]!, labels[from]!, label);
        }
      }
    }
    before = first;
  }
  parameters.fitPairs();
}
