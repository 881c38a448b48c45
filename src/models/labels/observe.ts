import type { LayerPairs } from '../../core/layer-pairs.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * Lets the features of a labelled sentence have weights for its gold labels and label pairs: for each
 * label that a token may have, where it is partially labelled, and for pairs of them at neighbours. Tokens
 * of which nothing is known bring no weights.
 *
 * @param layers the columns of labels of two layers: each gets the weights that a label would, and their pair one
 */
export function observe(
  parameters: ParameterStore,
  sentence: EncodedSentence,
  layers?: LayerPairs,
): void {
  if (layers !== undefined) {
    observeLayers(parameters, sentence, layers);
    return;
  }
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

function observeLayers(
  parameters: ParameterStore,
  { length, stateStarts, stateRows, allowed, gold }: EncodedSentence,
  layers: LayerPairs,
): void {
  const starts = allowed?.starts;
  const labels = allowed?.labels ?? gold!;
  let before = 0;
  for (let t = 0; t < length; t += 1) {
    const first = starts?.[t] ?? t;
    const end = starts?.[t + 1] ?? t + 1;
    for (let to = first; to < end; to += 1) {
      const a = layers.first[labels[to]!]!;
      const b = layers.second[labels[to]!]!;
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        parameters.observeState(stateRows[k]!, a);
        parameters.observeState(stateRows[k]!, b);
      }
      parameters.observeEdge(0, a, b);
      for (let from = before; from < first; from += 1) {
        parameters.observeEdge(0, layers.first[labels[from]!]!, a);
        parameters.observeEdge(0, layers.second[labels[from]!]!, b);
      }
    }
    before = first;
  }
}
