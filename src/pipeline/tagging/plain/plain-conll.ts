import { RowReader } from '../../../io/codecs/conll/row-reader.js';
import { cellOf } from '../../../io/codecs/conll/write-rows.js';
import type { PlainReader } from '../../../io/codecs/plain/plain-reader.js';
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
  readonly readers: readonly PlainReader[];

  constructor(
    { model, texts, columns, out }: PlainCodecGiven,
    { layout, maxLineBytes, maxTokens }: PlainColumns,
  ) {
    this.#reader = new RowReader(texts, { layout, columns, maxLineBytes, maxTokens });
    const { separator } = layout;
    const cells = model.labels.reported.map(label => cellOf(label, separator, undefined));
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

  add(_reader: PlainReader, { labels, starts, records }: DecodedRecords): void {
    this.#rows.add(this.#reader, records, labels.subarray(0, starts[records]));
  }
}
