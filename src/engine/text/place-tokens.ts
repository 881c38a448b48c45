import type { Range } from '../core/sentence/document.js';
import { isWhiteSpace } from './white-space.js';

/**
 * Finds the offsets of consecutive tokens in a text, separated by white space; undefined if they do not match.
 *
 * @example
 * placeTokens('It rains.', ['It', 'rains', '.']) // => [[0, 2], [3, 8], [8, 9]]
 * placeTokens('It rains.', ['It', '.']) // => undefined
 */
export function placeTokens(text: string, tokens: readonly string[]): Range[] | undefined {
  const ranges: Range[] = [];
  let at = 0;
  for (const token of tokens) {
    at = afterSpace(text, at);
    if (!text.startsWith(token, at)) return undefined;
    ranges.push([at, at + token.length]);
    at += token.length;
  }
  return afterSpace(text, at) === text.length ? ranges : undefined;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhiteSpace(text.charCodeAt(at))) at += 1;
  return at;
}
