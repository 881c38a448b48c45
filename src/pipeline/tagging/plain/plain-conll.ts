import {
  marginalsBetween,
  resultRows,
  type SentenceResults,
} from '../../../io/codecs/conll/result-rows.js';
import { RowReader } from '../../../io/codecs/conll/row-reader.js';
import { cellOf } from '../../../io/codecs/conll/write-rows.js';
import type { PlainReader } from '../../../io/codecs/plain/plain-reader.js';
import { alternatives } from '../../../models/decoding/alternatives.js';
import { type PlainColumns, plainColumns } from '../../blocks/plain-format.js';
import type { CodecChoice } from '../../catalogue/codec-of.js';
import type { DecodedRecords } from './decoded-records.js';
import type { PlainCodec, PlainCodecGiven, PlainFormatChoice } from './plain-codec.js';
import { TaggedRows } from './tagged-rows.js';

/**
 * Sentences in columns whose last one is that of the tags, if there is one.
 *
 * @param columns that templates look at
 */
export function plainConll(
  codec: CodecChoice,
  columns: readonly string[],
): PlainFormatChoice | undefined {
  const format = plainColumns(codec);
  const others = columns.filter(column => column !== 'form');
  if (format === undefined || !RowReader.canRead(format.layout, others)) return undefined;
  return { inJson: false, make: chosen => new PlainConll(chosen, format) };
}

class PlainConll implements PlainCodec {
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
    const { labels, starts, marginals, labelMarginals, probabilities, nbest } = decoded;
    const start = starts[sentence]!;
    const end = starts[sentence + 1]!;
    return {
      tags: Array.from(labels.subarray(start, end), label => this.#names[label]!),
      probability: probabilities?.[sentence],
      marginals: marginals?.subarray(start, end),
      labelMarginals: labelMarginals && marginalsBetween(labelMarginals, start, end),
      nbest: nbest && alternatives(nbest[sentence]!, this.#names),
    };
  }
}
