import { defaultMaxTokens } from '../../../engine/core/sentence/sentence-limit.js';
import type { ModelSpec } from '../../../engine/models/model-spec.js';
import {
  type ConllFormat,
  type ConllLayout,
  conllDefaults,
  conllLayout,
} from '../../../formats/codecs/conll/conll-layout.js';
import type { RecordFields } from '../../../formats/codecs/ndjson/record-fields.js';
import { defaultMaxLineBytes } from '../../../formats/lines/line-splitter.js';
import type { CodecChoice } from '../catalogue/codec-of.js';

/** Format of standard NDJSON records, with limits on lines and sentences. */
export interface PlainFormat extends RecordFields {
  readonly maxLineBytes: number;
  readonly maxTokens: number;
}

/**
 * Returns the options of NDJSON with standard records: no column of tags, no ids to add, no dead letters; undefined if
 * the format needs more, or has options that need a report.
 *
 * @example
 * plainFormat({ name: 'ndjson', options: { maxLineBytes: 100 } }) // => ({ maxLineBytes: 100, maxTokens: 100_000 })
 * plainFormat({ name: 'ndjson', options: { tag: 'pos' } }) // => undefined
 */
export function plainFormat({ name, options, replay, to }: CodecChoice): PlainFormat | undefined {
  const { maxLineBytes = defaultMaxLineBytes, maxTokens = defaultMaxTokens, ...other } = options;
  const { textField, into, ...more } = other;
  if (name !== 'ndjson' || replay === true || to !== undefined) return undefined;
  // Text from another program has no column of tags.
  if (Object.keys(more).some(key => key !== 'tag' || textField === undefined)) return undefined;
  if (!isLimit(maxLineBytes) || !isLimit(maxTokens)) return undefined;
  if (!isName(textField) || !isName(into)) return undefined;
  return {
    maxLineBytes,
    maxTokens,
    ...(textField === undefined ? {} : { textField }),
    ...(into === undefined ? {} : { into }),
  };
}

/** Columns of a format, and the maximum sentence length that is accepted. */
export interface PlainColumns extends PlainFormat {
  readonly layout: ConllLayout;
}

/**
 * Returns the columns of CoNLL from options that were checked before, which avoids the schema; undefined for other
 * formats and for dead letters.
 */
export function plainColumns({ name, options, replay, to }: CodecChoice): PlainColumns | undefined {
  if (name !== 'conll' || replay === true || to !== undefined) return undefined;
  const limits = { maxLineBytes: defaultMaxLineBytes, maxTokens: defaultMaxTokens };
  const given = { ...limits, ...conllDefaults, ...options } as ConllFormat & typeof limits;
  const { maxLineBytes, maxTokens, ...format } = given;
  return { layout: conllLayout(format), maxLineBytes, maxTokens };
}

/**
 * Returns the format in which tagged records are written: if the model was trained on this format, the tags are written
 * to the column that the training data had them in.
 */
export function writtenFormat(
  name: string,
  input: ModelSpec['input'],
): NonNullable<CodecChoice['to']> {
  const { codec, options } = (input ?? {}) as { codec?: string; options?: { tag?: string } };
  const tag = codec === name ? options?.tag : undefined;
  return { name, options: tag === undefined ? {} : { tag } };
}

function isName(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '');
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
