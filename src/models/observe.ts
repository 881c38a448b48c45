import type { EncodedSentence } from '../core/encoded-sentence.js';
import type { ParameterStore } from '../kernels/parameter-store.js';

/**
 * Lets the features of a labelled sentence have weights for its gold labels and label pairs: for each
 * label that a token may have, where it is labelled in part, and for pairs of them at neighbours. Tokens
 * of which nothing is known bring no weights.
 */
export function observe(parameters: ParameterStore, sentence: EncodedSentence): void {
  const { length, stateStarts, stateRows, edgeStarts, edgeRows, gold } = sentence;
  const { starts, labels } = sentence.allowed ?? knownLabels(gold!);
  for (let t = 0; t < length; t += 1) {
    for (let to = starts[t]!; to < starts[t + 1]!; to += 1) {
      const label = labels[to]!;
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        parameters.observeState(stateRows[k]!, label);
      }
      if (t === 0) continue;
      for (let from = starts[t - 1]!; from < starts[t]!; from += 1) {
        parameters.observeEdge(0, labels[from]!, label);
        if (edgeStarts === undefined) continue;
        for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
          parameters.observeEdge(edgeRows![k]!, labels[from]!, label);
        }
      }
    }
  }
  parameters.fitPairs();
}

/** One label for each token. */
function knownLabels(gold: Int32Array): {
  readonly starts: ArrayLike<number>;
  readonly labels: ArrayLike<number>;
} {
  return { starts: Uint32Array.from({ length: gold.length + 1 }, (_, t) => t), labels: gold };
}
