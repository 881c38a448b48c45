import { defaultMaxTokens } from '../../core/sentence/sentence-limit.js';
import type { TextInterner } from '../../features/texts/text-interner.js';
import {
  type ConllLayout,
  conllDefaults,
  conllLayout,
} from '../../io/codecs/conll/conll-layout.js';
import { PlainSentences } from '../../io/codecs/conll/plain-sentences.js';
import { LabelledRecords } from '../../io/codecs/ndjson/labelled-records.js';
import { PlainRecords } from '../../io/codecs/ndjson/plain-records.js';
import type { PlainSentenceReader } from '../../io/codecs/plain-sentence-reader.js';
import { defaultMaxLineBytes } from '../../io/lines/lines.js';
import { plainFormat } from '../blocks/plain-format.js';
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
  return {
    inJson: true,
    reader: ({ texts, columns: read }) => new LabelledRecords(texts, read.slice(1), format),
  };
}

function ofColumns(
  { name, options, replay }: CodecChoice,
  columns: readonly string[],
): PlainReading | undefined {
  if (name !== 'conll' || replay === true) return undefined;
  // Checked before, so that the schema is not needed.
  const limits = { maxLineBytes: defaultMaxLineBytes, maxTokens: defaultMaxTokens };
  const { maxLineBytes, maxTokens, ...format } = { ...limits, ...conllDefaults, ...options };
  const layout = conllLayout(format);
  if (!PlainSentences.canRead(layout) || !hasAll(layout, columns)) return undefined;
  return {
    inJson: false,
    reader: ({ texts, columns: read }) =>
      new PlainSentences(texts, { layout, columns: [...read, 'tag'], maxLineBytes, maxTokens }),
  };
}

function hasAll(layout: ConllLayout, columns: readonly string[]): boolean {
  const others = layout.otherIndexes.map(index => layout.columns[index]);
  return columns.every(column => column === 'form' || others.includes(column));
}
