import { defaultMaxTokens } from '../../../core/sentence/sentence-limit.js';
import {
  type ConllFormat,
  type ConllLayout,
  conllDefaults,
  conllLayout,
} from '../../../io/codecs/conll/conll-layout.js';
import { RowReader } from '../../../io/codecs/conll/row-reader.js';
import { cellOf } from '../../../io/codecs/conll/write-rows.js';
import type { PlainReader } from '../../../io/codecs/plain-reader.js';
import { defaultMaxLineBytes } from '../../../io/lines/lines.js';
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
  { name, options, replay }: CodecChoice,
  columns: readonly string[],
): PlainFormatChoice | undefined {
  if (name !== 'conll' || replay === true) return undefined;
  // Checked before, so that the schema is not needed.
  const limits = { maxLineBytes: defaultMaxLineBytes, maxTokens: defaultMaxTokens };
  const given = { ...limits, ...conllDefaults, ...options } as ConllFormat & typeof limits;
  const { maxLineBytes, maxTokens, ...format } = given;
  const layout = conllLayout(format);
  const others = columns.filter(column => column !== 'form');
  if (!RowReader.canRead(layout, others)) return undefined;
  return {
    inJson: false,
    make: chosen => new PlainConll(chosen, layout, { maxLineBytes, maxTokens }),
  };
}

class PlainConll implements PlainCodec {
  readonly #reader: RowReader;
  readonly #rows: TaggedRows;
  readonly readers: readonly PlainReader[];

  constructor(
    { model, texts, columns, out }: PlainCodecGiven,
    layout: ConllLayout,
    limits: { readonly maxLineBytes: number; readonly maxTokens: number },
  ) {
    this.#reader = new RowReader(texts, { layout, columns, ...limits });
    const { separator } = layout;
    const cells = model.labels.names.map(label => cellOf(label, separator, undefined));
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
