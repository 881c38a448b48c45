import type { TokenConstraint } from '../../engine/core/sentence/document.js';

/** Tag fixed by the annotator for each token; null if open. */
export type FixedTags = readonly (string | null)[];

/**
 * Marks a span: its tokens are fixed, and the other fixed tokens of overlapping spans become open
 * again.
 *
 * @example
 * markSpan(['B-LOC', 'I-LOC', null], { label: 'PER', start: 1, end: 2 }) // => [null, 'B-PER', null]
 */
export function markSpan(
  fixed: FixedTags,
  { label, start, end }: { readonly label: string; readonly start: number; readonly end: number },
): (string | null)[] {
  const marked = opened(fixed, start, end);
  for (let t = start; t < end; t += 1) marked[t] = `${t === start ? 'B' : 'I'}-${label}`;
  return marked;
}

/**
 * Marks a range of tokens as outside all spans.
 *
 * @example
 * clearSpan(['B-LOC', 'I-LOC', null], 1, 3) // => [null, 'O', 'O']
 */
export function clearSpan(fixed: FixedTags, start: number, end: number): (string | null)[] {
  return opened(fixed, start, end).fill('O', start, end);
}

/**
 * Returns the constraints for the decoder: each fixed tag, and the end of each fixed span.
 *
 * @param fixed tags of a sentence, in a span task if `spans`, otherwise with one label per token
 * @example
 * constraintsOf([null, 'B-PER', null], true) // => ({ 1: ['B-PER'], 2: { not: ['I-PER'] } })
 */
export function constraintsOf(fixed: FixedTags, spans: boolean): Record<string, TokenConstraint> {
  const constraints: Record<string, TokenConstraint> = {};
  for (const [t, tag] of fixed.entries()) {
    if (tag !== null) constraints[t] = [tag];
    const before = t === 0 ? null : fixed[t - 1]!;
    const follows = spans && tag === null && before !== null && before !== 'O';
    if (follows) constraints[t] = { not: [`I-${before.slice(2)}`] };
  }
  return constraints;
}

/** Returns the tags after opening all fixed spans that overlap `[start, end)`. */
function opened(fixed: FixedTags, start: number, end: number): (string | null)[] {
  const open = [...fixed];
  let from = start;
  while (from > 0 && isInside(fixed[from])) from -= 1;
  let to = end;
  while (to < fixed.length && isInside(fixed[to])) to += 1;
  return open.fill(null, from, to);
}

function isInside(tag: string | null | undefined): boolean {
  return tag?.startsWith('I-') === true;
}
