import { PlainRecords } from '../../../io/codecs/ndjson/plain-records.js';
import { PlainTexts } from '../../../io/codecs/ndjson/texts/plain-texts.js';
import type { PlainReader } from '../../../io/codecs/plain/plain-reader.js';
import { isSpanScheme } from '../../../text/tags/tag-scheme.js';
import { type PlainFormat, plainFormat } from '../../blocks/plain-format.js';
import type { CodecChoice } from '../../catalogue/codec-of.js';
import type { DecodedRecords } from './decoded-records.js';
import { moreResults } from './more-results.js';
import type { PlainCodec, PlainCodecGiven, PlainFormatChoice } from './plain-codec.js';
import { TaggedLines, type WrittenForm } from './tagged-lines.js';

/**
 * NDJSON, with tokens or with texts.
 *
 * @param columns that templates look at
 */
export function plainNdjson(
  codec: CodecChoice,
  columns: readonly string[],
): PlainFormatChoice | undefined {
  const format = plainFormat(codec);
  if (format === undefined || !PlainRecords.canRead(columns, format)) return undefined;
  // Such records have no columns.
  if (format.textField !== undefined && columns.length > 1) return undefined;
  return { inJson: true, make: given => new PlainNdjson(given, format) };
}

class PlainNdjson implements PlainCodec {
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
    // Texts have no columns, and records of other programs nothing but texts.
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
