import { isPlaced, type PlacedIndex } from '../../../features/index/placed-index.js';
import { TextFeatures } from '../../../features/texts/text-features.js';
import type { TextColumns } from '../../../features/texts/text-work.js';
import { structureOf } from '../../../inference/structures/structures.js';
import type { PlainReader } from '../../../io/codecs/plain/plain-reader.js';
import { type DecodedRows, RowDecoder } from '../../../models/decoding/row-decoder.js';
import type { Model } from '../../../models/model.js';
import type { TokenizeOptions } from '../../../operators/tokenize.js';
import type { CodecChoice } from '../../catalogue/codec-of.js';
import { decodeOptions, type TaggingOptions } from '../tagging-options.js';
import type { PlainCodec, PlainFormatChoice } from './plain-codec.js';
import { plainConll } from './plain-conll.js';
import { plainNdjson } from './plain-ndjson.js';
import { TaggedBytes } from './tagged-bytes.js';

/** Tokens that are decoded at a time, unless a sentence has more or more than labels is asked for. */
const pieceTokens = 8192;

/** What was tagged of plain records that follow each other. */
export interface PlainRun {
  readonly records: number;
  readonly blank: number;
  /** Whether a record follows that is not plain. */
  readonly isCut: boolean;
}

/**
 * Tags records that are plain, from bytes to bytes. What is not plain is left to the stages that take any record;
 * the bytes are theirs.
 */
export class PlainTagger {
  readonly #features: TextFeatures;
  readonly #decoder: RowDecoder;
  readonly codec: PlainCodec;
  readonly out: TaggedBytes;
  /** Number of the reader that has read the record before. */
  #reader = 0;

  /** Undefined where the format or the model takes more. */
  static of(
    model: Model,
    codec: CodecChoice,
    options: TaggingOptions,
    tokenization: TokenizeOptions,
  ): PlainTagger | undefined {
    const format = formatFor(model, codec);
    const index = model.stateIndex;
    // Rules look at whole sentences with their text.
    if (format === undefined || !isPlaced(index) || options.rules !== undefined) return undefined;
    return new PlainTagger(model, index, format, options, tokenization);
  }

  /** Whether there are plain records for a model in a format. */
  static canTag(model: Model, codec: CodecChoice): boolean {
    return formatFor(model, codec) !== undefined;
  }

  private constructor(
    model: Model,
    index: PlacedIndex,
    { inJson, make }: PlainFormatChoice,
    options: TaggingOptions,
    tokenization: TokenizeOptions,
  ) {
    this.#decoder = new RowDecoder(model, { ...decodeOptions(options), scores: options.scores });
    const keepsTexts = this.#decoder.needsTokens;
    this.#features = new TextFeatures(model.extractor.plan, index, { inJson, keepsTexts });
    const { texts, columns } = this.#features;
    this.out = new TaggedBytes(texts.memory);
    const inPieces = this.#decoder.onlyPaths;
    this.codec = make({ model, options, tokenization, texts, columns, inPieces, out: this.out });
  }

  /** Begins with a text of whole records, which is valid UTF-8. */
  open(bytes: Uint8Array): void {
    this.out.clear();
    this.codec.open(bytes);
  }

  /** Tags on as far as records are plain, to `out`. */
  run(): PlainRun {
    const { readers } = this.codec;
    let records = 0;
    let blank = 0;
    let failed = 0;
    for (;;) {
      const reader = readers[this.#reader]!;
      const ending = reader.read();
      const isPossible = this.#tag(reader);
      records += reader.count;
      blank += reader.blank;
      if (!isPossible) return { records, blank, isCut: true };
      if (ending === 'end') return { records, blank, isCut: false };
      if (ending !== 'not-plain') continue;
      // What is not plain for the one may be so for the other.
      failed = reader.count > 0 ? 1 : failed + 1;
      if (failed === readers.length) return { records, blank, isCut: true };
      this.#reader = (this.#reader + 1) % readers.length;
    }
  }

  /** Tags what was read; false where a sentence has no possible labels, which is as if it were not plain. */
  #tag(reader: PlainReader): boolean {
    const { starts, count, columns } = reader;
    if (count === 0) return true;
    const decoded = this.#decode(columns, starts);
    const { sentences } = decoded;
    const firstSentences = reader.firstSentences ?? Array.from(starts.keys());
    let records = count;
    while (firstSentences[records]! > sentences) records -= 1;
    this.codec.add(reader, { ...decoded, starts, firstSentences, records });
    if (records === count) return true;
    reader.backTo(records);
    return false;
  }

  /** Decodes sentences, those of a long record piece by piece: rows and scores take 200 bytes a token and more. */
  #decode(columns: TextColumns, starts: Uint32Array): DecodedRows {
    const sentences = starts.length - 1;
    const tokens = starts[sentences]!;
    if (tokens <= pieceTokens || !this.#decoder.onlyPaths) return this.#decodeAll(columns, starts);
    const labels = new Int32Array(tokens);
    for (let first = 0, end = 0; first < sentences; first = end) {
      const from = starts[first]!;
      for (end += 1; end < sentences && starts[end + 1]! - from <= pieceTokens; ) end += 1;
      const own = starts.subarray(first, end + 1).map(start => start - from);
      const found = this.#decodeAll({ ...columns, offset: columns.offset + 4 * from }, own);
      labels.set(found.labels.subarray(0, own[found.sentences]), from);
      if (found.sentences < end - first) return { labels, sentences: first + found.sentences };
    }
    return { labels, sentences };
  }

  #decodeAll(columns: TextColumns, starts: Uint32Array): DecodedRows {
    const rows = this.#features.encode(columns, starts);
    return this.#decoder.decode(rows, starts, sentence =>
      this.#features.tokens(columns, starts[sentence]!, starts[sentence + 1]!),
    );
  }
}

/** The format with plain records for a model: all features of it follow from the texts of single tokens. */
function formatFor(model: Model, codec: CodecChoice): PlainFormatChoice | undefined {
  const { stateIndex, extractor } = model;
  if (!model.frozen || model.labels.size === 0) return undefined;
  if (!structureOf(model.spec).capabilities.includes('token features')) return undefined;
  if (!isPlaced(stateIndex) || !TextFeatures.canMake(extractor.plan)) return undefined;
  const columns = [...new Set(extractor.plan.atoms.map(({ column }) => column))];
  return plainNdjson(codec, columns) ?? plainConll(codec, columns);
}
