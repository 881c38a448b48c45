import { ExactIndex } from '../../features/index/exact-index.js';
import { TextFeatures } from '../../features/texts/text-features.js';
import { fewTokens, PlainRecords } from '../../io/codecs/ndjson/plain-records.js';
import { RowDecoder } from '../../models/decoding/row-decoder.js';
import type { Model } from '../../models/model.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { plainFormat } from '../blocks/plain-format.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
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
    return new PlainTagger(model, stateIndex, options, format.maxLineBytes);
  }

  private constructor(
    model: Model,
    index: ExactIndex,
    options: TaggingOptions,
    maxLineBytes: number,
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
    for (;;) {
      const ending = this.#records.read();
      const isPossible = this.#tag();
      records += this.#records.count;
      blank += this.#records.blank;
      if (!isPossible || ending === 'not-plain') return { records, blank, isCut: true };
      if (ending === 'end') return { records, blank, isCut: false };
    }
  }

  /** Tags what was read; false where a sentence has no possible labels, which is as if it were not plain. */
  #tag(): boolean {
    const records = this.#records;
    const { starts, count } = records;
    if (count === 0) return true;
    const rows = this.#features.encode(records.columns, starts);
    const decoded = this.#decoder.decode(rows, starts, sentence =>
      this.#features.tokens(records.columns, starts[sentence]!, starts[sentence + 1]!),
    );
    const { labels, sentences } = decoded;
    const more =
      this.#form === 'tags' ? {} : moreResults(decoded, starts, this.#names, this.#withScores);
    this.lines.add(records, sentences, labels.subarray(0, starts[sentences]), more);
    if (sentences === count) return true;
    records.backTo(sentences);
    return false;
  }
}
