import { defaultMaxTokens } from '../../core/sentence/sentence-limit.js';
import { defaultMaxLineBytes } from '../../io/lines/lines.js';
import type { CodecChoice } from '../catalogue/codec-of.js';

/** NDJSON records as they are, and the longest line and sentence that are taken. */
export interface PlainFormat {
  readonly maxLineBytes: number;
  readonly maxTokens: number;
}

/**
 * NDJSON whose records are read as they are: no column of tags, no ids to be given, no dead letters. Undefined
 * where a format asks for more, or has options that need a report.
 *
 * @example
 * plainFormat({ name: 'ndjson', options: { maxLineBytes: 100 } }) // => ({ maxLineBytes: 100, maxTokens: 100_000 })
 * plainFormat({ name: 'ndjson', options: { tag: 'pos' } }) // => undefined
 */
export function plainFormat({ name, options, replay }: CodecChoice): PlainFormat | undefined {
  const { maxLineBytes = defaultMaxLineBytes, maxTokens = defaultMaxTokens, ...more } = options;
  if (name !== 'ndjson' || replay === true || Object.keys(more).length > 0) return undefined;
  if (!isLimit(maxLineBytes) || !isLimit(maxTokens)) return undefined;
  return { maxLineBytes, maxTokens };
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
