import { TagstreamError } from '../../../engine/core/errors.js';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../../engine/core/minibatch/packed-rows.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';

/** Encoded sentences concatenated in a few arrays, which can be transferred between threads. */
export interface PackedSentences {
  /** Number of tokens in each sentence. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly state: PackedFeatures;
  /** Absent if no template conditions transitions. */
  readonly edges: PackedFeatures | undefined;
  /** Labels of all tokens; -1 for partially labelled sentences. */
  readonly gold: Int32Array<ArrayBuffer>;
  /** Allowed labels of each token, packed like features; absent if no sentence is partially labelled. */
  readonly allowed: PackedFeatures | undefined;
  /** Weight of each sentence; absent if no record has one. */
  readonly weights: Float64Array<ArrayBuffer> | undefined;
  /** Ids of the sentences' records; absent if none has one. */
  readonly ids: readonly (string | undefined)[] | undefined;
}

/** The features of packed sentences. */
export interface PackedFeatures {
  /** Starts of the tokens' features: for each sentence one number more than tokens, from 0. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Values of the sentences that have values, concatenated; absent if there are none. */
  readonly values: Float64Array<ArrayBuffer> | undefined;
  /** 1 for each sentence that has values, else 0; absent if `values` is. */
  readonly valued: Uint8Array<ArrayBuffer> | undefined;
}

/** Returns the buffers of packed sentences. */
export function buffersOf(sentences: PackedSentences): ArrayBuffer[] {
  const { lengths, state, edges, gold, allowed, weights } = sentences;
  const features = [state, edges, allowed].flatMap(packed =>
    packed === undefined ? [] : [packed.starts, packed.rows, packed.values, packed.valued],
  );
  return [lengths, gold, weights, ...features].flatMap(array =>
    array === undefined ? [] : [array.buffer],
  );
}

/**
 * Returns the packed sentences as views of the packed arrays, without copying.
 *
 * @param sentenceOf creates the sentence from its origin: its record's id, its first token in the block, and the end of
 * its tokens
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

/** Reads packed features, sentence by sentence. */
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

/**
 * A stand-in for a sentence that another thread has read. The id of its record is known, for errors. Its text was not
 * kept, and access to it throws an error instead of returning nothing. It has no delivery, because its record was
 * released where it was read.
 */
export class RemoteSentence implements Sentence {
  readonly document: Document;

  constructor(id: string | undefined) {
    this.document = id === undefined ? withoutId : { id };
  }

  get tokens(): never {
    throw notKept('tokens');
  }

  get columns(): never {
    throw notKept('columns');
  }

  get tags(): never {
    throw notKept('tags');
  }

  get part(): never {
    throw notKept('part');
  }
}

const withoutId: Document = {};

function notKept(what: string): TagstreamError {
  return new TagstreamError(
    'stage',
    `workers do not keep the ${what} of the sentences that they read`,
    {
      fix: 'train with one worker if a stage needs the text of its sentences',
    },
  );
}
