import { ExactIndex } from '../../features/index/exact-index.js';
import { TextFeatures } from '../../features/texts/text-features.js';
import { fewTokens, PlainRecords } from '../../io/codecs/ndjson/plain-records.js';
import { PathDecoder } from '../../models/decoding/path-decoder.js';
import type { Model } from '../../models/model.js';
import { plainFormat } from '../blocks/plain-format.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import { TaggedLines } from './tagged-lines.js';
import { decodeOptions, type TaggingOptions } from './tagging-options.js';

/** What was tagged of plain records that follow each other. */
export interface PlainRun {
  readonly records: number;
  readonly blank: number;
  /** Whether a line follows that is not plain. */
  readonly isCut: boolean;
}

/**
 * Tags NDJSON records that are plain (`PlainRecords`) and of which the tags alone are wanted, from bytes to
 * bytes. What is not plain is left to the stages that take any record; the bytes are theirs.
 */
export class PlainTagger {
  readonly #features: TextFeatures;
  readonly #decoder: PathDecoder;
  readonly #records: PlainRecords;
  readonly lines: TaggedLines;

  /** Undefined where the format, the model or what is asked for takes more. */
  static of(model: Model, codec: CodecChoice, options: TaggingOptions): PlainTagger | undefined {
    const { stateIndex, extractor } = model;
    const format = plainFormat(codec);
    if (format === undefined || format.maxTokens < fewTokens) return undefined;
    if (options.output !== 'tags' || options.scores === true) return undefined;
    if (!(stateIndex instanceof ExactIndex) || !TextFeatures.canMake(extractor.plan))
      return undefined;
    const decoder = PathDecoder.of(model, decodeOptions(options));
    if (decoder === undefined) return undefined;
    const columns = new Set(extractor.plan.atoms.map(({ column }) => column));
    if (!PlainRecords.canRead([...columns])) return undefined;
    const features = new TextFeatures(extractor.plan, stateIndex);
    return new PlainTagger(features, decoder, model.labels.names, format.maxLineBytes);
  }

  private constructor(
    features: TextFeatures,
    decoder: PathDecoder,
    labels: readonly string[],
    maxLineBytes: number,
  ) {
    this.#features = features;
    this.#decoder = decoder;
    const columns = features.columns.slice(1);
    this.#records = new PlainRecords(features.texts, { columns, maxLineBytes });
    this.lines = new TaggedLines(features.texts.memory, labels);
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
    const { labels, sentences } = this.#decoder.decode(rows, starts);
    this.lines.open(labels.subarray(0, starts[sentences]));
    for (let s = 0; s < sentences; s += 1) {
      this.lines.add(starts[s]!, starts[s + 1]!, records.idOf(s), records.idBytesOf(s));
    }
    if (sentences === count) return true;
    records.backTo(sentences);
    return false;
  }
}
