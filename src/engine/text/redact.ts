import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument } from '../core/schema/require-argument.js';
import type { Range } from '../core/sentence/document.js';

/** A span to be removed from a text. */
export interface RedactedSpan {
  readonly label: string;
  /** Start and end in UTF-16 units of the text, the end exclusive. */
  readonly offsets: Range;
}

/** A range of a text and its replacement. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Placeholders of a pattern. */
const known = ['label', 'n'] as const;

/** Returns the replacement of a span from its label and its number in the text, from 1. */
export type RedactionPattern = (label: string, n: number) => string;

/**
 * Converts a pattern to a function: `{label}` is replaced by the label of a span, `{n}` by its
 * number in the text, from 1.
 *
 * @throws TagstreamError `config` for any other name in braces
 * @example
 * redactionPattern('[{label} {n}]')('PER', 1) // => '[PER 1]'
 */
export function redactionPattern(pattern: string): RedactionPattern {
  for (const [, name] of pattern.matchAll(/\{(\w+)\}/g)) {
    if (known.some(one => one === name)) continue;
    throw new TagstreamError('config', `redact: unknown placeholder {${name}}`, {
      fix: 'use {label} for the label of a span and {n} for its number',
    });
  }
  return (label, n) =>
    pattern.replaceAll(/\{(label|n)\}/g, (_, name) => (name === 'label' ? label : String(n)));
}

/**
 * Returns the replacements of the spans of a text, in text order. Overlapping spans are replaced as
 * one, with the label of the first one.
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
 * Returns a text whose spans are replaced according to the pattern; the rest is unchanged.
 * Overlapping spans are replaced as one. Does not change its inputs.
 *
 * @param spans spans such as those of `Tagger.tagText` or of tagged records
 * @param pattern pattern with `{label}` and `{n}`, the number of the span in the text, from 1
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

/** Rejects a span outside the text, which would leave text that has to be removed. */
function requireWithin(text: string, span: RedactedSpan, number: number): void {
  const [start, end] = Array.isArray(span?.offsets) ? span.offsets : [];
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && start! >= 0 && end! >= start!;
  if (isWithin && end! <= text.length) return;
  throw new TagstreamError('config', `redact: span ${number} is not within the text`, {
    fix: 'pass spans of this text, such as those of Tagger.tagText or of a tagged record',
  });
}
