import type { Document } from '../../../core/sentence/document.js';

/**
 * The text of a record with the tokens of its text added after its own members, which stay byte for byte.
 *
 * @param raw valid JSON text of an object that has members and no tokens
 * @example
 * withTokens('{"text": "Go", "n": 1.0}', { tokens: ['Go'], offsets: [[0, 2]] })
 * // => '{"text": "Go", "n": 1.0,"tokens":["Go"],"offsets":[[0,2]]}'
 */
export function withTokens(
  raw: string,
  { tokens, offsets, sentences }: Pick<Document, 'tokens' | 'offsets' | 'sentences'>,
): string {
  const added = JSON.stringify({ tokens, offsets, sentences }).slice(1, -1);
  return `${raw.slice(0, raw.lastIndexOf('}'))},${added}}`;
}
