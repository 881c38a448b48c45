import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { counted } from '../../core/wording/counted.js';
import type { Check } from '../definition/check-options.js';
import type { CheckResult, TextSpan } from './check-result.js';

/**
 * Compares what a model has given a sentence with what a check expects.
 *
 * @example
 * const check = { text: 'Ben ran', tags: ['B-PER', 'O'] };
 * checkSentence(check, { document: {}, tokens: ['Ben', 'ran'], tags: ['O', 'O'] }).passed // => false
 */
export function checkSentence(check: Check, tagged: TaggedDocument): Omit<CheckResult, 'name'> {
  const { tokens, tags } = tagged;
  const expectedTags = check.tags;
  const found = spansOf(tagged);
  const tagsFit = expectedTags === undefined || sameList(expectedTags, tags);
  const spansFit = check.spans === undefined || sameSpans(check.spans, found);
  const wrongLength =
    expectedTags !== undefined && expectedTags.length !== tokens.length
      ? {
          problem: `expected ${counted(expectedTags.length, 'tag')}, got ${counted(tokens.length, 'token')}`,
        }
      : {};
  return {
    passed: tagsFit && spansFit,
    ...wrongLength,
    tokens,
    ...(expectedTags === undefined ? {} : { tags: { expected: expectedTags, got: tags } }),
    ...(check.spans === undefined ? {} : { spans: { expected: check.spans, got: found } }),
  };
}

function spansOf({ document, tokens, offsets, spans = [] }: TaggedDocument): TextSpan[] {
  return spans.map(span => {
    const { start, end } = span;
    const text =
      document.text === undefined || offsets === undefined
        ? tokens.slice(start, end).join(' ')
        : document.text.slice(offsets[start]![0], offsets[end - 1]![1]);
    return { ...span, text };
  });
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function sameSpans(expected: NonNullable<Check['spans']>, got: readonly TextSpan[]): boolean {
  const fits = (span: (typeof expected)[number], other: TextSpan) =>
    span.label === other.label &&
    (span.text === undefined || span.text === other.text) &&
    (span.start === undefined || span.start === other.start) &&
    (span.end === undefined || span.end === other.end);
  return expected.length === got.length && expected.every((span, i) => fits(span, got[i]!));
}
