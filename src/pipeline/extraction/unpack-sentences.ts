import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/join-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { PackedFeatures, PackedSentences } from './packed-sentences.js';

/**
 * The sentences that were packed, as views of the packed arrays: nothing is copied.
 *
 * @param sentenceOf gives what a sentence is of: its record's id, its first token in the block, and the end of its tokens
 */
export function unpackSentences(
  packed: PackedSentences,
  sentenceOf: (id: string | undefined, first: number, end: number) => Sentence,
): EncodedSentence[] {
  const { lengths, gold, ids, weights } = packed;
  const state = new FeatureReader(packed.state);
  const edges = packed.edges === undefined ? undefined : new FeatureReader(packed.edges);
  const allowed = packed.allowed === undefined ? undefined : new FeatureReader(packed.allowed);
  const sentences = new Array<EncodedSentence>(lengths.length);
  let token = 0;
  for (let s = 0; s < lengths.length; s += 1) {
    const length = lengths[s]!;
    const { starts, rows, values } = state.next(length);
    const edge = edges?.next(length);
    const labels = allowed?.next(length);
    const isPartial = labels !== undefined && gold[token] === -1;
    sentences[s] = {
      length,
      stateStarts: starts,
      stateRows: rows,
      ...(values === undefined ? {} : { stateValues: values }),
      ...(edge === undefined ? {} : { edgeStarts: edge.starts, edgeRows: edge.rows }),
      ...(edge?.values === undefined ? {} : { edgeValues: edge.values }),
      ...(isPartial
        ? { allowed: { starts: labels.starts, labels: labels.rows } }
        : { gold: gold.subarray(token, token + length) }),
      ...(weights === undefined ? {} : { weight: weights[s]! }),
      sentence: sentenceOf(ids?.[s], token, token + length),
    };
    token += length;
  }
  return sentences;
}

/** Goes through packed features, sentence by sentence. */
class FeatureReader {
  readonly #packed: PackedFeatures;
  #sentence = 0;
  #start = 0;
  #row = 0;
  #value = 0;

  constructor(packed: PackedFeatures) {
    this.#packed = packed;
  }

  next(length: number): PackedRows {
    const { starts: allStarts, rows: allRows, values: allValues, valued } = this.#packed;
    const starts = allStarts.subarray(this.#start, this.#start + length + 1);
    const count = starts[length]!;
    const rows = allRows.subarray(this.#row, this.#row + count);
    const hasValues = valued?.[this.#sentence] === 1;
    this.#sentence += 1;
    this.#start += length + 1;
    this.#row += count;
    if (!hasValues) return { starts, rows };
    const values = allValues!.subarray(this.#value, this.#value + count);
    this.#value += count;
    return { starts, rows, values };
  }
}
