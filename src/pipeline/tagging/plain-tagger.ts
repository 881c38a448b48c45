import { ExactIndex } from '../../features/index/exact-index.js';
import { TextFeatures } from '../../features/texts/text-features.js';
import { fewTokens, PlainRecords } from '../../io/codecs/ndjson/plain-records.js';
import { PlainTexts, type TextDivision } from '../../io/codecs/ndjson/plain-texts.js';
import { RowDecoder } from '../../models/decoding/row-decoder.js';
import type { Model } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { splitSentences } from '../../text/sentences/sentence-splitter.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import { type PlainFormat, plainFormat } from '../blocks/plain-format.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import { modelTokenizer } from '../stages/model-tokenizer.js';
import { moreResults } from './more-results.js';
import { TaggedLines, type WrittenForm } from './tagged-lines.js';
import { decodeOptions, type TaggingOptions } from './tagging-options.js';

/** What was tagged of plain records that follow each other. */
export interface PlainRun {
  readonly records: number;
  readonly blank: number;
  /** Whether a line follows that is not plain. */
  readonly isCut: boolean;
}

/**
 * Tags NDJSON records that are plain (`PlainRecords`) and of which the best tags are wanted, from bytes to
 * bytes. What is not plain is left to the stages that take any record; the bytes are theirs.
 */
export class PlainTagger {
  readonly #features: TextFeatures;
  readonly #decoder: RowDecoder;
  readonly #names: readonly string[];
  readonly #form: WrittenForm;
  readonly #withScores: boolean;
  readonly #records: PlainRecords;
  /** Absent where templates look at columns, which texts do not have. */
  readonly #texts: PlainTexts | undefined;
  /** What has read the record before. */
  #reader: PlainRecords | PlainTexts;
  readonly lines: TaggedLines;

  /** Undefined where the format or the model takes more. */
  static of(model: Model, codec: CodecChoice, options: TaggingOptions): PlainTagger | undefined {
    const { stateIndex, extractor } = model;
    const format = plainFormat(codec);
    if (format === undefined || format.maxTokens < fewTokens) return undefined;
    if (!model.frozen || model.labels.size === 0) return undefined;
    if (!(stateIndex instanceof ExactIndex) || !TextFeatures.canMake(extractor.plan))
      return undefined;
    const columns = new Set(extractor.plan.atoms.map(({ column }) => column));
    if (!PlainRecords.canRead([...columns])) return undefined;
    return new PlainTagger(model, stateIndex, options, format);
  }

  private constructor(
    model: Model,
    index: ExactIndex,
    options: TaggingOptions,
    { maxLineBytes, maxTokens }: PlainFormat,
  ) {
    const { names } = model.labels;
    this.#names = names;
    const whole = isSpanScheme(model.scheme) ? 'with-spans' : 'without-spans';
    this.#form = options.output === 'tags' ? 'tags' : whole;
    this.#withScores = options.scores === true;
    this.#decoder = new RowDecoder(model, { ...decodeOptions(options), scores: options.scores });
    const keepsTexts = this.#decoder.needsTokens;
    this.#features = new TextFeatures(model.extractor.plan, index, { keepsTexts });
    const { texts, columns } = this.#features;
    this.#records = new PlainRecords(texts, {
      columns: columns.slice(1),
      maxLineBytes,
      whole: this.#form === 'tags' ? undefined : this.#form,
    });
    this.#texts =
      columns.length > 1
        ? undefined
        : new PlainTexts(this.#records, texts, textDivision(modelTokenizer(model)), maxTokens);
    this.#reader = this.#records;
    this.lines = new TaggedLines(texts.memory, names, this.#form);
  }

  /** Place in the text of the line that comes next. */
  get position(): number {
    return this.#records.position;
  }

  /** Number of this line in the text, from 0. */
  get line(): number {
    return this.#records.line;
  }

  /** Begins with a text of whole lines, which is valid UTF-8. */
  open(bytes: Uint8Array): void {
    this.lines.clear();
    this.#records.open(bytes);
  }

  /** Passes over lines that somebody else has tagged. */
  skip(bytes: number, lines: number): void {
    this.#records.position += bytes;
    this.#records.line += lines;
  }

  /** Tags on as far as records are plain, to `lines`. */
  run(): PlainRun {
    let records = 0;
    let blank = 0;
    const readers = this.#texts === undefined ? 1 : 2;
    let failed = 0;
    for (;;) {
      const ending = this.#reader.read();
      const isPossible = this.#tag();
      records += this.#reader.count;
      blank += this.#records.blank;
      if (!isPossible) return { records, blank, isCut: true };
      if (ending === 'end') return { records, blank, isCut: false };
      if (ending !== 'not-plain') continue;
      // What is not plain for the one may be so for the other.
      failed = this.#reader.count > 0 ? 1 : failed + 1;
      if (failed === readers) return { records, blank, isCut: true };
      this.#reader = this.#reader === this.#records ? this.#texts! : this.#records;
    }
  }

  /** Tags what was read; false where a sentence has no possible labels, which is as if it were not plain. */
  #tag(): boolean {
    const reader = this.#reader;
    const { starts, count, columns } = reader;
    if (count === 0) return true;
    const rows = this.#features.encode(columns, starts);
    const decoded = this.#decoder.decode(rows, starts, sentence =>
      this.#features.tokens(columns, starts[sentence]!, starts[sentence + 1]!),
    );
    const { labels, sentences } = decoded;
    const texts = reader instanceof PlainTexts ? reader : undefined;
    const firstSentences = texts?.firstSentences ?? Array.from(starts.keys());
    let records = count;
    while (firstSentences[records]! > sentences) records -= 1;
    const more =
      this.#form === 'tags'
        ? {}
        : moreResults(
            { ...decoded, starts, firstSentences, records },
            this.#names,
            this.#withScores,
          );
    const own = labels.subarray(0, starts[firstSentences[records]!]);
    this.lines.add(this.#records, records, own, { ...more, tokenPlaces: texts?.tokenPlaces });
    if (records === count) return true;
    reader.backTo(records);
    return false;
  }
}

/** Finds tokens and sentences as the operator `tokenize` does. */
function textDivision({ tokenizer, sentences, locale }: TokenizeOptions): TextDivision {
  const find = tokenizer ?? regexTokenizer();
  const options = locale === undefined ? {} : { locale };
  return {
    tokens: find,
    sentences: (text, tokens) =>
      sentences === false ? [[0, tokens.length]] : splitSentences(text, tokens, options),
  };
}
