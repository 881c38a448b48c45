import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { LabelParts, LayerPairs, OutputCodes } from '../../kernels/store/label-columns.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { LabelSet } from './label-set.js';

/**
 * Lets the features of a labelled sentence have weights for its gold labels and label pairs: for each
 * label that a token may have, where it is partially labelled, and for pairs of them at neighbours. Tokens
 * of which nothing is known bring no weights.
 *
 * @param made where they are of two layers, each column gets the weights that a label would, and their pair one; where
 *   they are of parts, the column of each part does, and each pair of columns of neighbours; where they are words of a code,
 *   the column of each bit
 */
export function observe(
  parameters: ParameterStore,
  sentence: EncodedSentence,
  made: Partial<Pick<LabelSet, 'layers' | 'parts' | 'codes'>> = {},
): void {
  if (made.layers !== undefined) {
    observeLayers(parameters, sentence, made.layers.pairs);
    return;
  }
  if (made.parts !== undefined) {
    observeParts(parameters, sentence, made.parts.parts);
    return;
  }
  if (made.codes !== undefined) {
    observeBits(parameters, sentence, made.codes.codes);
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

function observeParts(
  parameters: ParameterStore,
  { length, stateStarts, stateRows, allowed, gold }: EncodedSentence,
  { starts: partStarts, columns }: LabelParts,
): void {
  const starts = allowed?.starts;
  const labels = allowed?.labels ?? gold!;
  let before = 0;
  for (let t = 0; t < length; t += 1) {
    const first = starts?.[t] ?? t;
    const end = starts?.[t + 1] ?? t + 1;
    for (let to = first; to < end; to += 1) {
      for (let p = partStarts[labels[to]!]!; p < partStarts[labels[to]! + 1]!; p += 1) {
        const column = columns[p]!;
        for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
          parameters.observeState(stateRows[k]!, column);
        }
        for (let from = before; from < first; from += 1) {
          for (let q = partStarts[labels[from]!]!; q < partStarts[labels[from]! + 1]!; q += 1) {
            parameters.observeEdge(0, columns[q]!, column);
          }
        }
      }
    }
    before = first;
  }
}

function observeBits(
  parameters: ParameterStore,
  { length, stateStarts, stateRows, gold }: EncodedSentence,
  { words }: OutputCodes,
): void {
  // Partial labels are refused when they are learned from.
  for (let t = 0; gold !== undefined && t < length; t += 1) {
    const word = words[gold[t]!]!;
    const before = t === 0 ? undefined : words[gold[t - 1]!]!;
    for (const [b, bit] of word.entries()) {
      const column = 2 * b + bit;
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        parameters.observeState(stateRows[k]!, column);
      }
      if (before !== undefined) parameters.observeEdge(0, 2 * b + before[b]!, column);
    }
  }
}
