import type { TextTable } from '../../../../engine/features/texts/text-table.js';
import { alternatives } from '../../../../engine/models/decoding/decoded.js';
import type { DecodedRows } from '../../../../engine/models/decoding/row-decoder.js';
import type { Model } from '../../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../../engine/operators/tokenize.js';
import type { Codec } from '../../../../formats/codecs/codec.js';
import {
  labelMarginalsText,
  modelMember,
  pairMarginalsText,
} from '../../../../formats/codecs/ndjson/owned-members.js';
import type { PlainReader } from '../../../../formats/codecs/plain-reader.js';
import type { TaggingOptions } from '../tagging-options.js';
import type { TaggedBytes } from './tagged-bytes.js';
import type { MoreResults } from './tagged-lines.js';

/**
 * Returns the members of records other than tags and spans, in the form that `ownedMembers` writes.
 *
 * @param withScores whether records contain their scores
 * @param modelId model id in records, if any
 */
export function moreResults(
  decoded: DecodedRecords,
  names: readonly string[],
  withScores: boolean,
  modelId: string | undefined,
): MoreResults {
  const { scores, marginals, labelMarginals, pairMarginals } = decoded;
  const { probabilities, logProbabilities, nbest, spans, records } = decoded;
  const { starts, firstSentences } = decoded;
  const isAsked = withScores || [marginals, probabilities, nbest].some(one => one !== undefined);
  if (!isAsked && spans === undefined && modelId === undefined) return {};
  const ofModel = modelId === undefined ? '' : `,"${modelMember}":${JSON.stringify(modelId)}`;
  /** Returns a member with the values of a record's sentences. */
  const listed = (name: string, record: number, ofSentence: (sentence: number) => unknown) => {
    const first = firstSentences[record]!;
    const length = firstSentences[record + 1]! - first;
    const values = Array.from({ length }, (_, i) => ofSentence(first + i));
    return `,"${name}":${JSON.stringify(values)}`;
  };
  const texts = Array.from({ length: isAsked ? records : 0 }, (_, r) => {
    let text = '';
    if (withScores) text += listed('score', r, s => scores![s]);
    if (probabilities !== undefined) {
      text += listed('probability', r, s => probabilities[s]);
      text += listed('logProbability', r, s => logProbabilities![s]);
    }
    const from = starts[firstSentences[r]!]!;
    const to = starts[firstSentences[r + 1]!]!;
    if (labelMarginals !== undefined) {
      text += `,"marginals":${labelMarginalsText(labelMarginals, from, to)}`;
    } else if (pairMarginals !== undefined) {
      const own = pairMarginals.slice(firstSentences[r]!, firstSentences[r + 1]!);
      text += `,"marginals":${pairMarginalsText(own)}`;
    } else if (marginals !== undefined) {
      const own = marginals.subarray(from, to);
      text += `,"marginals":${JSON.stringify(Array.from(own))}`;
    }
    if (nbest !== undefined) text += listed('nbest', r, s => alternatives(nbest[s]!, names));
    return text + ofModel;
  });
  const ofSpans: string[] = [];
  for (let s = 0; spans !== undefined && s < firstSentences[records]!; s += 1) {
    for (const { probability } of spans[s]!) {
      ofSpans.push(`,"probability":${JSON.stringify(probability)}`);
    }
  }
  if (isAsked) return { records: texts, spans: spans && ofSpans };
  const alike = modelId === undefined ? undefined : new Array<string>(records).fill(ofModel);
  return { records: alike, spans: spans && ofSpans };
}

/** A format whose plain records are tagged from bytes to bytes. */
export interface PlainFormatChoice {
  /** Whether texts have the escapes of JSON strings. */
  readonly inJson: boolean;
  /** Returns the codec for a model whose templates use the format's columns. */
  make(given: PlainCodecGiven): PlainCodec;
}

export interface PlainCodecGiven {
  readonly model: Model;
  readonly options: TaggingOptions;
  readonly tokenization: TokenizeOptions;
  readonly texts: TextTable;
  /** Columns that templates use; the first is the token column. */
  readonly columns: readonly string[];
  /** Whether the sentences of a record are decoded in pieces, so that it may have any number of them. */
  readonly inPieces: boolean;
  readonly out: TaggedBytes;
}

/** Reads plain records from a text, and writes them with their results. */
export interface PlainCodec extends Pick<Codec, 'recordsAreLines'> {
  /** Ways to read a record: a record that is not plain for one reader may be plain for another. */
  readonly readers: readonly PlainReader[];
  /** Starts reading a text of whole records in valid UTF-8. */
  open(bytes: Uint8Array): void;
  /** Position of the next record in the text, and its line number, from 0. */
  readonly position: number;
  readonly line: number;
  /** Skips bytes and lines that were tagged elsewhere. */
  skip(bytes: number, lines: number): void;
  /** Writes the first records of those read last. */
  add(reader: PlainReader, decoded: DecodedRecords): void;
}

/** Decoded labels, by record. */
export interface DecodedRecords extends DecodedRows {
  /** First token of each sentence, followed by the total number of tokens. */
  readonly starts: Uint32Array;
  /** First sentence of each record, followed by the total number of sentences. */
  readonly firstSentences: ArrayLike<number>;
  /** Number of records whose sentences are all decoded. */
  readonly records: number;
}
