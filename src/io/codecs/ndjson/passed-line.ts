import type { BadRecord } from '../../bad-records/bad-record.js';
import { JsonText } from './json-text.js';
import { errorMember, isBelow } from './record-fields.js';

/**
 * The line of a record that could not be tagged, for who waits for one: the record as it is, with its error below a key;
 * what is no object, or has something else at that key, becomes an object with its text as `raw`.
 *
 * @example
 * const position = { source: 'a', line: 1, start: 0, end: 8 };
 * const error = new TagstreamError('not-json', 'not valid JSON');
 * passedLine({ position, raw: new TextEncoder().encode('oops'), truncated: false, error }, 'nlp')
 * // => '{"nlp":{"error":{"code":"not-json","message":"not valid JSON"}},"raw":"oops"}'
 */
export function passedLine(
  { raw, truncated, error }: Pick<BadRecord, 'raw' | 'truncated' | 'error'>,
  key: string,
): string {
  const { code, problem } = error;
  const member = `"${errorMember}":${JSON.stringify({ code, message: problem })}`;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw);
  const placed = truncated || !isObject(text) ? undefined : below(text, key, member);
  return placed ?? `{${JSON.stringify(key)}:{${member}},"raw":${JSON.stringify(text)}}`;
}

function below(text: string, key: string, member: string): string | undefined {
  return new JsonText(text).putBelow(key, [member], isBelow)?.text;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
