// The entry `tagstream/text`: tokenizers, sentences, tags and spans.

// text

export { applyScript, editScript } from '../engine/text/labels/edit-script.js';
export { redact } from '../engine/text/redact.js';
export { splitSentences } from '../engine/text/sentences/sentence-splitter.js';
export { convertTags } from '../engine/text/tags/convert-tags.js';
export { describeSchemes, detectScheme, SchemeCounts } from '../engine/text/tags/detect-scheme.js';
export { SpanOpenings } from '../engine/text/tags/span-openings.js';
export { spansOf } from '../engine/text/tags/spans.js';
export { isSpanScheme, schemeNamed, spanSchemes } from '../engine/text/tags/tag-scheme.js';
export { characterTokenizer } from '../engine/text/tokenizers/character-tokenizer.js';
export { regexTokenizer } from '../engine/text/tokenizers/regex-tokenizer.js';
export { treebankTokenizer } from '../engine/text/tokenizers/treebank-tokenizer.js';
export { unicodeTokenizer } from '../engine/text/tokenizers/unicode-tokenizer.js';
export { whitespaceTokenizer } from '../engine/text/tokenizers/whitespace-tokenizer.js';

// types

export type { Range } from '../engine/core/sentence/document.js';
export type { Span } from '../engine/core/sentence/sentence.js';
export type { EditScriptOptions } from '../engine/text/labels/edit-script.js';
export type { RedactedSpan } from '../engine/text/redact.js';
export type { SentenceOptions } from '../engine/text/sentences/sentence-splitter.js';
export type { DifferentSchemes } from '../engine/text/tags/detect-scheme.js';
export type { TagForm } from '../engine/text/tags/tag-form.js';
export type { SpanScheme, TagScheme } from '../engine/text/tags/tag-scheme.js';
export type {
  BundledTokenizer,
  StoredExpander,
  StoredTokenizer,
} from '../engine/text/tokenizers/bundled-tokenizer.js';
export type { DividedWords, Tokenizer } from '../engine/text/tokenizers/tokenizer.js';
