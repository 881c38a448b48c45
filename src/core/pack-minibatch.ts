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

/** What is read of the sentences is packed when it is asked for: threads that know the corpus never ask. */
function packed(sentences: readonly EncodedSentence[]): Minibatch {
  const count = sentences.length;
  const sentenceStarts = new Uint32Array(count + 1);
  let tokens = 0;
  let hasValues = false;
  for (let s = 0; s < count; s += 1) {
    const { length, stateValues } = sentences[s]!;
    tokens += length;
    sentenceStarts[s + 1] = tokens;
    if (stateValues !== undefined) hasValues = true;
  }
  const labelled = once(() => packLabelled(sentences));
  const gold = once(() => packGold(sentences, sentenceStarts));
  const state = once(() => packRows(sentences, tokens, stateRowsOf));
  const passEnd = sentences[count - 1]?.passEnd;
  const minibatch: Minibatch = {
    sentences,
    tokens,
    sentenceStarts,
    get gold() {
      return gold();
    },
    get labelled() {
      return labelled();
    },
    get stateStarts() {
      return state().stateStarts;
    },
    get stateRows() {
      return state().stateRows;
    },
    ...packEdges(sentences, tokens),
    ...(passEnd === undefined ? {} : { passEnd }),
  };
  if (!hasValues) return minibatch;
  const get = () => state().stateValues;
  return Object.defineProperty(minibatch, 'stateValues', { enumerable: true, get });
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

function packLabelled(sentences: readonly EncodedSentence[]): Uint8Array {
  return Uint8Array.from(sentences, ({ gold }) =>
    gold !== undefined && !gold.includes(-1) ? 1 : 0,
  );
}

function packGold(sentences: readonly EncodedSentence[], starts: Uint32Array): Int32Array {
  const gold = new Int32Array(starts[sentences.length]!).fill(-1);
  for (const [s, sentence] of sentences.entries()) {
    if (sentence.gold !== undefined) gold.set(sentence.gold, starts[s]!);
  }
  return gold;
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
