import type { EncodedSentence } from './encoded-sentence.js';
import type { Minibatch } from './minibatch.js';

type Rows = Pick<Minibatch, 'stateStarts' | 'stateRows' | 'stateValues'>;

/**
 * Packs encoded sentences one after the other. A single sentence is not copied.
 *
 * A sentence counts as labelled when each of its tokens has a gold label that the model knows.
 */
export function packMinibatch(sentences: readonly EncodedSentence[]): Minibatch {
  if (sentences.length !== 1) return packed(sentences);
  const only = sentences[0]!;
  let minibatch = single.get(only);
  if (minibatch === undefined) {
    minibatch = packed(sentences);
    single.set(only, minibatch);
  }
  return minibatch;
}

/** Minibatches of one sentence, kept as long as the sentence is: it comes again in each pass. */
const single = new WeakMap<EncodedSentence, Minibatch>();

function packed(sentences: readonly EncodedSentence[]): Minibatch {
  const sentenceStarts = new Uint32Array(sentences.length + 1);
  const labelled = new Uint8Array(sentences.length);
  let tokens = 0;
  for (const [s, sentence] of sentences.entries()) {
    labelled[s] = sentence.gold !== undefined && !sentence.gold.includes(-1) ? 1 : 0;
    tokens += sentence.length;
    sentenceStarts[s + 1] = tokens;
  }
  const gold = new Int32Array(tokens).fill(-1);
  for (const [s, sentence] of sentences.entries()) {
    if (sentence.gold !== undefined) gold.set(sentence.gold, sentenceStarts[s]!);
  }
  const passEnd = sentences.at(-1)?.passEnd;
  let state: Rows | undefined;
  const packState = () => {
    state ??= packRows(sentences, tokens, stateRowsOf);
    return state;
  };
  const minibatch: Minibatch = {
    sentences,
    tokens,
    sentenceStarts,
    gold,
    labelled,
    // Only when they are asked for: threads that know the corpus never do.
    get stateStarts() {
      return packState().stateStarts;
    },
    get stateRows() {
      return packState().stateRows;
    },
    ...packEdges(sentences, tokens),
    ...(passEnd === undefined ? {} : { passEnd }),
  };
  if (!sentences.some(({ stateValues }) => stateValues !== undefined)) return minibatch;
  const get = () => packState().stateValues;
  return Object.defineProperty(minibatch, 'stateValues', { enumerable: true, get });
}

function stateRowsOf(sentence: EncodedSentence): Rows {
  return sentence;
}

function packEdges(sentences: readonly EncodedSentence[], tokens: number): Partial<Minibatch> {
  if (!sentences.some(sentence => sentence.edgeStarts !== undefined)) return {};
  const packed = packRows(sentences, tokens, sentence => ({
    stateStarts: sentence.edgeStarts ?? new Uint32Array(sentence.length + 1),
    stateRows: sentence.edgeRows ?? new Uint32Array(0),
    ...(sentence.edgeValues === undefined ? {} : { stateValues: sentence.edgeValues }),
  }));
  return {
    edgeStarts: packed.stateStarts,
    edgeRows: packed.stateRows,
    ...(packed.stateValues === undefined ? {} : { edgeValues: packed.stateValues }),
  };
}

function packRows(
  sentences: readonly EncodedSentence[],
  tokens: number,
  rowsOf: (sentence: EncodedSentence) => Rows,
): Rows {
  const parts = sentences.map(rowsOf);
  if (parts.length === 1) {
    const { stateStarts, stateRows, stateValues } = parts[0]!;
    return { stateStarts, stateRows, ...(stateValues === undefined ? {} : { stateValues }) };
  }
  const count = parts.reduce((sum, part) => sum + part.stateRows.length, 0);
  const stateStarts = new Uint32Array(tokens + 1);
  const stateRows = new Uint32Array(count);
  const hasValues = parts.some(part => part.stateValues !== undefined);
  const stateValues = hasValues ? new Float64Array(count).fill(1) : undefined;
  let token = 0;
  let row = 0;
  for (const part of parts) {
    for (let t = 1; t < part.stateStarts.length; t += 1) {
      token += 1;
      stateStarts[token] = row + part.stateStarts[t]!;
    }
    stateRows.set(part.stateRows, row);
    if (part.stateValues !== undefined) stateValues!.set(part.stateValues, row);
    row += part.stateRows.length;
  }
  return { stateStarts, stateRows, ...(stateValues === undefined ? {} : { stateValues }) };
}
