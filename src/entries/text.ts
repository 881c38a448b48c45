// The entry `tagstream/text`: tokenizers, sentences, tags and spans.

// text

export { applyScript, editScript } from '../text/labels/edit-script.js';
export { redact } from '../text/redact.js';
export { splitSentences } from '../text/sentences/sentence-splitter.js';
export { convertTags } from '../text/tags/convert-tags.js';
export { describeSchemes, detectScheme, SchemeCounts } from '../text/tags/detect-scheme.js';
export { SpanOpenings } from '../text/tags/span-openings.js';
export { spansOf } from '../text/tags/spans.js';
export { isSpanScheme, schemeNamed, spanSchemes } from '../text/tags/tag-scheme.js';
export { characterTokenizer } from '../text/tokenizers/character-tokenizer.js';
export { regexTokenizer } from '../text/tokenizers/regex-tokenizer.js';
export { treebankTokenizer } from '../text/tokenizers/treebank-tokenizer.js';
export { unicodeTokenizer } from '../text/tokenizers/unicode-tokenizer.js';
export { whitespaceTokenizer } from '../text/tokenizers/whitespace-tokenizer.js';

// types

export type { Range } from '../core/sentence/document.js';
export type { Span } from '../core/sentence/sentence.js';
export type { EditScriptOptions } from '../text/labels/edit-script.js';
export type { RedactedSpan } from '../text/redact.js';
export type { SentenceOptions } from '../text/sentences/sentence-splitter.js';
export type { DifferentSchemes } from '../text/tags/detect-scheme.js';
export type { TagForm } from '../text/tags/tag-form.js';
export type { SpanScheme, TagScheme } from '../text/tags/tag-scheme.js';
export type {
  BundledTokenizer,
  StoredExpander,
  StoredTokenizer,
} from '../text/tokenizers/bundled-tokenizer.js';
export type { DividedWords, Tokenizer } from '../text/tokenizers/tokenizer.js';
