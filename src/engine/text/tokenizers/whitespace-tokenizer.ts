import type { Range } from '../../core/sentence/document.js';
import { isWhiteSpace } from '../white-space.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * Returns a tokenizer for text whose tokens are already separated by white space (all that `\s` matches).
 *
 * @example
 * whitespaceTokenizer()(' Well , no ') // => [[1, 5], [6, 7], [8, 10]]
 */
export function whitespaceTokenizer(): Tokenizer {
  const tokenizer: Tokenizer = (text, most = Number.POSITIVE_INFINITY) => {
    const ranges: Range[] = [];
    let start = -1;
    for (let i = 0; i < text.length && ranges.length <= most; i += 1) {
      if (!isWhiteSpace(text.charCodeAt(i))) {
        if (start < 0) start = i;
      } else if (start >= 0) {
        ranges.push([start, i]);
        start = -1;
      }
    }
    if (start >= 0) ranges.push([start, text.length]);
    return ranges;
  };
  return Object.assign(tokenizer, { words: {} });
}
