import { isPlaced, type PlacedIndex } from '../../../../engine/features/index/placed-index.js';
import { TextFeatures } from '../../../../engine/features/texts/text-features.js';
import type { TextColumns } from '../../../../engine/features/texts/text-work.js';
import { structureOf } from '../../../../engine/inference/structures/structures.js';
import { alternatives } from '../../../../engine/models/decoding/decoded.js';
import { type DecodedRows, RowDecoder } from '../../../../engine/models/decoding/row-decoder.js';
import type { Model } from '../../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../../engine/operators/tokenize.js';
import { isSpanScheme } from '../../../../engine/text/tags/tag-scheme.js';
import {
  marginalsBetween,
  resultRows,
  type SentenceResults,
} from '../../../../formats/codecs/conll/result-rows.js';
import { RowReader } from '../../../../formats/codecs/conll/row-reader.js';
import { cellOf } from '../../../../formats/codecs/conll/write-rows.js';
import { PlainRecords } from '../../../../formats/codecs/ndjson/plain-records.js';
import { PlainTexts } from '../../../../formats/codecs/ndjson/texts/plain-texts.js';
import type { PlainReader } from '../../../../formats/codecs/plain-reader.js';
import {
  type PlainColumns,
  type PlainFormat,
  plainColumns,
  plainFormat,
} from '../../blocks/plain-format.js';
import type { CodecChoice } from '../../catalogue/codec-of.js';
import { decodeOptions, type TaggingOptions } from '../tagging-options.js';
import {
  type DecodedRecords,
  moreResults,
  type PlainCodec,
  type PlainCodecGiven,
  type PlainFormatChoice,
} from './more-results.js';
import { TaggedBytes } from './tagged-bytes.js';
import { TaggedLines, type WrittenForm } from './tagged-lines.js';
import { TaggedRows } from './tagged-rows.js';

/** Number of tokens decoded at a time, unless a sentence has more, or results other than labels are requested. */
const pieceTokens = 8192;

/** The result for a run of consecutive plain records. */
export interface PlainRun {
  readonly records: number;
  readonly blank: number;
  /** Whether the next record is not plain. */
  readonly isCut: boolean;
}

/**
 * Tags plain records, from bytes to bytes, with the same output as the stages that accept any record, to which it
 * leaves all others.
 */
export class PlainTagger {
  readonly #features: TextFeatures;
  readonly #decoder: RowDecoder;
  readonly codec: PlainCodec;
  readonly out: TaggedBytes;
  /** Index of the reader of the previous record. */
  #reader = 0;

  /** Returns a tagger; undefined if the format or the model needs the slow path. */
  static of(
    model: Model,
    codec: CodecChoice,
    options: TaggingOptions,
    tokenization: TokenizeOptions,
  ): PlainTagger | undefined {
    const format = formatFor(model, codec);
    const index = model.stateIndex;
    // Rules need whole sentences with their text.
    if (format === undefined || !isPlaced(index) || options.rules !== undefined) return undefined;
    return new PlainTagger(model, index, format, options, tokenization);
  }

  /** Returns whether records of a format can be plain for a model. */
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

  /** Starts tagging a text of whole records in valid UTF-8. */
  open(bytes: Uint8Array): void {
    this.out.clear();
    this.codec.open(bytes);
  }

  /** Continues tagging to `out` as long as records are plain. */
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
      // A record that is not plain for one reader may be plain for another.
      failed = reader.count > 0 ? 1 : failed + 1;
      if (failed === readers.length) return { records, blank, isCut: true };
      this.#reader = (this.#reader + 1) % readers.length;
    }
  }

  /**
   * Tags the records that were read; returns false if a sentence has no possible label sequence, and so counts as not
   * plain.
   */
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

  /** Decodes sentences, long records in pieces: rows and scores take 200 or more bytes per token. */
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

/**
 * Returns the format in which records can be plain for a model: all its features must follow from the texts of single
 * tokens.
 */
function formatFor(model: Model, codec: CodecChoice): PlainFormatChoice | undefined {
  const { stateIndex, extractor } = model;
  if (!model.frozen || model.labels.size === 0 || model.bundle !== undefined) return undefined;
  if (!structureOf(model.spec).capabilities.includes('token features')) return undefined;
  if (!isPlaced(stateIndex) || !TextFeatures.canMake(extractor.plan)) return undefined;
  const columns = [...new Set(extractor.plan.atoms.map(({ column }) => column))];
  return plainNdjson(codec, columns) ?? plainConll(codec, columns);
}

/**
 * Returns the NDJSON format, with tokens or with texts.
 *
 * @param columns columns that templates use
 */
function plainNdjson(
  codec: CodecChoice,
  columns: readonly string[],
): PlainFormatChoice | undefined {
  const format = plainFormat(codec);
  if (format === undefined || !PlainRecords.canRead(columns, format)) return undefined;
  // Records with a text field have no columns.
  if (format.textField !== undefined && columns.length > 1) return undefined;
  return { inJson: true, make: given => new PlainNdjson(given, format) };
}

class PlainNdjson implements PlainCodec {
  readonly recordsAreLines = true;
  readonly #names: readonly string[];
  readonly #form: WrittenForm;
  readonly #withScores: boolean;
  readonly #modelId: string | undefined;
  readonly #records: PlainRecords;
  readonly #lines: TaggedLines;
  readonly readers: readonly PlainReader[];

  constructor(given: PlainCodecGiven, { maxLineBytes, maxTokens, textField, into }: PlainFormat) {
    const { model, options, tokenization, texts, columns, inPieces, out } = given;
    const { reported: names } = model.labels;
    this.#names = names;
    const whole = isSpanScheme(model.scheme) ? 'with-spans' : 'without-spans';
    this.#form = options.output === 'tags' ? 'tags' : whole;
    this.#withScores = options.scores === true;
    this.#modelId = options.modelId;
    this.#records = new PlainRecords(texts, {
      columns: columns.slice(1),
      maxLineBytes,
      maxTokens,
      ...{ textField, into },
      whole: this.#form === 'tags' ? undefined : this.#form,
    });
    this.#lines = new TaggedLines(texts.memory, names, this.#form, out, into);
    const limits = { maxTokens, inPieces };
    const ofTexts = () => new PlainTexts(this.#records, texts, tokenization, limits);
    // Texts have no columns, and records of other programs only have texts.
    const isText = textField !== undefined;
    this.readers = [...(isText ? [] : [this.#records]), ...(columns.length > 1 ? [] : [ofTexts()])];
  }

  get position(): number {
    return this.#records.position;
  }

  get line(): number {
    return this.#records.line;
  }

  open(bytes: Uint8Array): void {
    this.#records.open(bytes);
  }

  skip(bytes: number, lines: number): void {
    this.#records.position += bytes;
    this.#records.line += lines;
  }

  add(reader: PlainReader, decoded: DecodedRecords): void {
    const { labels, starts, firstSentences, records } = decoded;
    const own = labels.subarray(0, starts[firstSentences[records]!]);
    const more =
      this.#form === 'tags'
        ? {}
        : moreResults(decoded, this.#names, this.#withScores, this.#modelId);
    const tokenPlaces = reader instanceof PlainTexts ? reader.tokenPlaces : undefined;
    this.#lines.add(this.#records, records, own, { ...more, tokenPlaces });
  }
}

/**
 * Returns the column format, whose last column is that of the tags, if any.
 *
 * @param columns columns that templates use
 */
function plainConll(codec: CodecChoice, columns: readonly string[]): PlainFormatChoice | undefined {
  const format = plainColumns(codec);
  if (format === undefined || !RowReader.canRead(format.layout, columns)) return undefined;
  return { inJson: false, make: chosen => new PlainConll(chosen, format) };
}

class PlainConll implements PlainCodec {
  readonly recordsAreLines = false;
  readonly #reader: RowReader;
  readonly #rows: TaggedRows;
  readonly #names: readonly string[];
  readonly #cell: (tag: string) => string;
  readonly readers: readonly PlainReader[];

  constructor(
    { model, texts, columns, out }: PlainCodecGiven,
    { layout, maxLineBytes, maxTokens }: PlainColumns,
  ) {
    this.#reader = new RowReader(texts, { layout, columns, maxLineBytes, maxTokens });
    const { separator } = layout;
    this.#names = model.labels.reported;
    this.#cell = tag => cellOf(tag, separator, undefined);
    const cells = this.#names.map(this.#cell);
    this.#rows = new TaggedRows(texts.memory, cells, separator === 'tab', out);
    this.readers = [this.#reader];
  }

  get position(): number {
    return this.#reader.position;
  }

  get line(): number {
    return this.#reader.line;
  }

  open(bytes: Uint8Array): void {
    this.#reader.open(bytes);
  }

  skip(bytes: number, lines: number): void {
    this.#reader.position += bytes;
    this.#reader.line += lines;
  }

  add(_reader: PlainReader, decoded: DecodedRecords): void {
    const { labels, starts, records, marginals, probabilities, nbest } = decoded;
    const hasMore = [marginals, probabilities, nbest].some(one => one !== undefined);
    if (!hasMore) {
      this.#rows.add(this.#reader, records, labels.subarray(0, starts[records]));
      return;
    }
    for (let s = 0; s < records; s += 1) {
      const results = this.#resultsOf(decoded, s);
      for (const rows of resultRows(results, this.#cell)) {
        this.#rows.addResults(this.#reader, s, rows);
      }
    }
  }

  #resultsOf(decoded: DecodedRecords, sentence: number): SentenceResults {
    const { labels, starts, marginals, labelMarginals, logProbabilities, nbest } = decoded;
    const start = starts[sentence]!;
    const end = starts[sentence + 1]!;
    return {
      tags: tagsBetween(labels, start, end, this.#names),
      logProbability: logProbabilities?.[sentence],
      marginals: marginals?.subarray(start, end),
      labelMarginals: labelMarginals && marginalsBetween(labelMarginals, start, end),
      nbest: nbest && alternatives(nbest[sentence]!, this.#names),
    };
  }
}

function tagsBetween(
  labels: Int32Array,
  start: number,
  end: number,
  names: readonly string[],
): string[] {
  const tags: string[] = new Array(end - start);
  for (let t = start; t < end; t += 1) tags[t - start] = names[labels[t]!]!;
  return tags;
}
