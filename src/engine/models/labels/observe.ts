import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { LabelLayers, LabelParts, OutputCodes } from '../../kernels/store/label-columns.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { LabelSet } from './label-set.js';

/**
 * Gives a labelled sentence's features weights for its gold labels and label pairs or, if it is partially labelled, for
 * each token's allowed labels and their pairs at neighbouring tokens. Unlabelled tokens add no weights.
 *
 * @param made columns that make up labels. Layers: each column gets the weights of a label, and each pair of columns
 *   one weight. Parts: each part's column, and each pair of neighbouring columns. Codes: each bit's column
 */
export function observe(
  parameters: ParameterStore,
  sentence: EncodedSentence,
  made: Partial<Pick<LabelSet, 'layers' | 'parts' | 'codes'>> = {},
): void {
  if (made.layers !== undefined) {
    observeLayers(parameters, sentence, made.layers.layers);
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
  const { stateStarts, stateRows, edgeStarts, edgeRows } = sentence;
  const atToken = (t: number, label: number) => {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      parameters.observeState(stateRows[k]!, label);
    }
  };
  visitLabels(sentence, atToken, (from, to, t) => {
    parameters.observeEdge(0, from, to);
    if (edgeStarts === undefined) return;
    for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
      parameters.observeEdge(edgeRows![k]!, from, to);
    }
  });
  parameters.fitPairs();
}

function observeLayers(
  parameters: ParameterStore,
  sentence: EncodedSentence,
  layers: LabelLayers,
): void {
  const { stateStarts, stateRows } = sentence;
  const atToken = (t: number, label: number) => {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      for (const layer of layers) parameters.observeState(stateRows[k]!, layer[label]!);
    }
    for (const [i, first] of layers.entries()) {
      for (const second of layers.slice(i + 1)) {
        parameters.observeEdge(0, first[label]!, second[label]!);
      }
    }
  };
  visitLabels(sentence, atToken, (from, to) => {
    for (const layer of layers) parameters.observeEdge(0, layer[from]!, layer[to]!);
  });
}

function observeParts(
  parameters: ParameterStore,
  sentence: EncodedSentence,
  { starts, columns }: LabelParts,
): void {
  const { stateStarts, stateRows } = sentence;
  const atToken = (t: number, label: number) => {
    for (let p = starts[label]!; p < starts[label + 1]!; p += 1) {
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        parameters.observeState(stateRows[k]!, columns[p]!);
      }
    }
  };
  visitLabels(sentence, atToken, (from, to) => {
    for (let p = starts[to]!; p < starts[to + 1]!; p += 1) {
      for (let q = starts[from]!; q < starts[from + 1]!; q += 1) {
        parameters.observeEdge(0, columns[q]!, columns[p]!);
      }
    }
  });
}

/** Visits the allowed labels of each token, each followed by its pairs with those of the previous token. */
function visitLabels(
  { length, allowed, gold }: EncodedSentence,
  atToken: (t: number, label: number) => void,
  atPair: (from: number, to: number, t: number) => void,
): void {
  const starts = allowed?.starts;
  const labels = allowed?.labels ?? gold!;
  // Offset of the labels of token t - 1; if each token has one label, offsets equal token numbers.
  let before = 0;
  for (let t = 0; t < length; t += 1) {
    const first = starts?.[t] ?? t;
    const end = starts?.[t + 1] ?? t + 1;
    for (let to = first; to < end; to += 1) {
      atToken(t, labels[to]!);
      for (let from = before; from < first; from += 1) atPair(labels[from]!, labels[to]!, t);
    }
    before = first;
  }
}

function observeBits(
  parameters: ParameterStore,
  { length, stateStarts, stateRows, gold }: EncodedSentence,
  { words }: OutputCodes,
): void {
  // Partial labels are rejected later, when learning from them.
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
