import type { Document } from '../../engine/core/sentence/document.js';
import { divided } from '../../engine/operators/divided.js';
import type { TokenizeOptions } from '../../engine/operators/tokenize.js';
import { regexTokenizer } from '../../engine/text/tokenizers/regex-tokenizer.js';
import { type LeftOutSpans, leftOutSpans } from '../../formats/codecs/foreign/placed-spans.js';

/**
 * Returns a document with the tokens, offsets and sentences of its text, and its gold spans as gold tags; a document
 * that has tokens keeps them. The raw record is omitted.
 *
 * @throws TagstreamError the errors by which `tokenize` rejects documents
 * @example
 * tokenizedDocument({ text: 'Go, Ann', spans: [{ start: 4, end: 7, label: 'PER' }] })
 * // => ({ text: 'Go, Ann', tokens: ['Go', ',', 'Ann'], offsets: [[0, 2], [2, 3], [4, 7]], sentences: [[0, 3]], tags: ['O', 'O', 'B-PER'] })
 */
export function tokenizedDocument(document: Document, options: TokenizeOptions = {}): Document {
  const { tokenizer = regexTokenizer(), sentences = true, locale, abbreviations } = options;
  const { tokens, offsets, ranges, known, dropped } = divided(document, {
    tokenizer,
    split: sentences,
    locale,
    abbreviations,
  });
  if (dropped > 0) leftOutSpans.publish({ count: dropped, why: 'overlap' } satisfies LeftOutSpans);
  const { raw, format, spans, misaligned, overlaps, tags, partialTags, ...rest } = document;
  const isDivided = document.tokens === undefined || document.sentences !== undefined;
  return {
    ...rest,
    tokens,
    ...(offsets === undefined ? {} : { offsets }),
    ...(isDivided ? { sentences: tokens.length === 0 ? [] : ranges } : {}),
    ...known,
  };
}
