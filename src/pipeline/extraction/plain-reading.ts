import type { TextInterner } from '../../features/texts/text-interner.js';
import type { ConllLayout } from '../../io/codecs/conll/conll-layout.js';
import { PlainSentences } from '../../io/codecs/conll/plain-sentences.js';
import { LabelledRecords } from '../../io/codecs/ndjson/labelled-records.js';
import { PlainRecords } from '../../io/codecs/ndjson/plain-records.js';
import type { PlainSentenceReader } from '../../io/codecs/plain/plain-sentence-reader.js';
import { plainColumns, plainFormat } from '../blocks/plain-format.js';
import type { CodecChoice } from '../catalogue/codec-of.js';

/** How plain sentences of a format are read. */
export interface PlainReading {
  /** Whether texts have the escapes of JSON strings. */
  readonly inJson: boolean;
  reader(interner: TextInterner): PlainSentenceReader;
}

/**
 * How plain sentences of a format are read, where it has some.
 *
 * @param codec a format with options that are right
 * @param columns that templates look at
 */
export function plainReading(
  codec: CodecChoice,
  columns: readonly string[],
): PlainReading | undefined {
  return codec.name === 'ndjson' ? ofRecords(codec, columns) : ofColumns(codec, columns);
}

function ofRecords(codec: CodecChoice, columns: readonly string[]): PlainReading | undefined {
  const format = plainFormat(codec);
  if (format === undefined || !PlainRecords.canRead(columns)) return undefined;
  // Texts of other programs have no labels, and what has other fields may be anything.
  if (format.textField !== undefined || format.into !== undefined) return undefined;
  return {
    inJson: true,
    reader: ({ texts, columns: read }) => new LabelledRecords(texts, read.slice(1), format),
  };
}

function ofColumns(codec: CodecChoice, columns: readonly string[]): PlainReading | undefined {
  const format = plainColumns(codec);
  if (format === undefined) return undefined;
  const { layout } = format;
  if (!PlainSentences.canRead(layout) || !hasAll(layout, columns)) return undefined;
  return {
    inJson: false,
    reader: ({ texts, columns: read }) =>
      new PlainSentences(texts, { ...format, columns: [...read, 'tag'] }),
  };
}

function hasAll(layout: ConllLayout, columns: readonly string[]): boolean {
  const others = layout.otherIndexes.map(index => layout.columns[index]);
  return columns.every(column => column === 'form' || others.includes(column));
}
