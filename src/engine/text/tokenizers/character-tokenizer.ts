import { requireKnown } from '../../core/schema/require-argument.js';
import type { Range } from '../../core/sentence/document.js';
import { segmentEnds, segmenter } from '../sentences/segmenter.js';
import { pushTrimmed } from '../white-space.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * Returns a tokenizer that makes each character a token, for tasks on letters (word segmentation,
 * letters to phonemes). White space is omitted.
 *
 * @param options.unit `grapheme` (the default): a character as perceived by a reader, such as a
 * letter with its accents or a whole emoji; `code-point`: one Unicode code point
 * @example
 * characterTokenizer()('e\u0301 b') // => [[0, 2], [3, 4]]
 * characterTokenizer({ unit: 'code-point' })('e\u0301 b') // => [[0, 1], [1, 2], [3, 4]]
 */
export function characterTokenizer(
  options: { readonly unit?: 'grapheme' | 'code-point' } = {},
): Tokenizer {
  requireKnown('characterTokenizer', options, ['unit']);
  return options.unit === 'code-point' ? codePoints : graphemes;
}

function codePoints(text: string, most = Number.POSITIVE_INFINITY): Range[] {
  const ranges: Range[] = [];
  for (let start = 0; start < text.length && ranges.length <= most; ) {
    const end = start + (text.codePointAt(start)! > 0xffff ? 2 : 1);
    pushTrimmed(ranges, text, start, end);
    start = end;
  }
  return ranges;
}

function graphemes(text: string, most = Number.POSITIVE_INFINITY): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  // Grapheme clusters do not differ between locales.
  for (const end of segmentEnds(text, segmenter('grapheme'))) {
    pushTrimmed(ranges, text, start, end);
    start = end;
    if (ranges.length > most) break;
  }
  return ranges;
}
