import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument } from '../core/schema/require-argument.js';
import type { Range } from '../core/sentence/document.js';

/** A span that is taken out of a text. */
export interface RedactedSpan {
  readonly label: string;
  /** Its start and end in UTF-16 units of the text, the end exclusive. */
  readonly offsets: Range;
}

/** A piece of a text, and what takes its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What a pattern can say of a span. */
const known = ['label', 'n'] as const;

/** Makes the text that takes the place of a span, by its label and its number in the text, from 1. */
export type RedactionPattern = (label: string, n: number) => string;

/**
 * A pattern as a function: `{label}` stands for the label of a span, `{n}` for its number in the text, from 1.
 *
 * @throws TagstreamError `config` for any other name in braces
 * @example
 * redactionPattern('[{label} {n}]')('PER', 1) // => '[PER 1]'
 */
export function redactionPattern(pattern: string): RedactionPattern {
  for (const [, name] of pattern.matchAll(/\{(\w+)\}/g)) {
    if (known.some(one => one === name)) continue;
    throw new TagstreamError('config', `redact: there is no {${name}}`, {
      fix: '{label} and {n} stand for the label of a span and its number',
    });
  }
  return (label, n) =>
    pattern.replaceAll(/\{(label|n)\}/g, (_, name) => (name === 'label' ? label : String(n)));
}

/**
 * What takes the place of each span of a text, in the order of the text. Of spans that overlap, all that one of them covers
 * goes, and the first one says what takes its place.
 */
export function replacementsOf(
  spans: readonly RedactedSpan[],
  pattern: RedactionPattern,
): readonly Replacement[] {
  const found: { start: number; end: number; label: string }[] = [];
  const inOrder = [...spans].sort((a, b) => a.offsets[0] - b.offsets[0]);
  for (const { label, offsets } of inOrder) {
    const [start, end] = offsets;
    const last = found.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else found.push({ start, end, label });
  }
  return found.map(({ start, end, label }, i) => ({ start, end, text: pattern(label, i + 1) }));
}

/**
 * A text without its spans: each is replaced by what the pattern says, and all else stays. Of spans that overlap, all that
 * one of them covers is replaced once. Does not change its inputs.
 *
 * @param spans as `Tagger.tagText` and tagged records have them
 * @param pattern with `{label}` and `{n}`, the number of the span in the text, from 1
 * @throws TagstreamError `config` for any other name in braces, and for a span that has no offsets in the text
 * @example
 * const spans = [{ label: 'PER', offsets: [0, 3] }, { label: 'LOC', offsets: [12, 20] }];
 * redact('Ben flew to New York.', spans, '[{label}]') // => '[PER] flew to [LOC].'
 */
export function redact(text: string, spans: readonly RedactedSpan[], pattern: string): string {
  requireArgument('redact: the text', text, kinds.text);
  requireArgument('redact: the spans', spans, kinds.list);
  requireArgument('redact: the pattern', pattern, kinds.text);
  for (const [i, span] of spans.entries()) requireWithin(text, span, i);
  let redacted = '';
  let at = 0;
  for (const { start, end, text: written } of replacementsOf(spans, redactionPattern(pattern))) {
    redacted += text.slice(at, start) + written;
    at = end;
  }
  return redacted + text.slice(at);
}

/** A span that is somewhere else would leave in the text what is to go. */
function requireWithin(text: string, span: RedactedSpan, number: number): void {
  const [start, end] = Array.isArray(span?.offsets) ? span.offsets : [];
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && start! >= 0 && end! >= start!;
  if (isWithin && end! <= text.length) return;
  throw new TagstreamError('config', `redact: the span ${number} has no offsets in the text`, {
    fix: 'give spans of this text, as Tagger.tagText and tagged records of texts have them',
  });
}
