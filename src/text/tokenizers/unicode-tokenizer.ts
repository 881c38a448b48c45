import type { Range } from '../../core/sentence/document.js';
import { segmentEnds } from '../sentences/segment-ends.js';
import { segmenter } from '../sentences/segmenter.js';
import { pushTrimmed } from './push-trimmed.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * A tokenizer by the word boundaries of Unicode (UAX #29), with a dictionary for the languages that
 * put no spaces between words. Keeps punctuation, leaves white space out.
 *
 * @param options.locale a BCP 47 language tag; `en` if absent
 * @throws TagstreamError `config` if the locale is not a valid language tag
 * @example
 * unicodeTokenizer()("Don't go!") // => [[0, 5], [6, 8], [8, 9]]
 */
export function unicodeTokenizer(options: { readonly locale?: string } = {}): Tokenizer {
  const words = segmenter('word', options.locale);
  return (text, most = Number.POSITIVE_INFINITY) => {
    const ranges: Range[] = [];
    let start = 0;
    for (const end of segmentEnds(text, words)) {
      // A space with a combining mark is one segment: only the mark is a token then.
      pushTrimmed(ranges, text, start, end);
      start = end;
      if (ranges.length > most) break;
    }
    return ranges;
  };
}
