import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { shown } from '../../core/schema/schema-messages.js';
import type { Span } from '../../core/sentence/sentence.js';
import { suggestion } from '../../core/wording/nearest.js';
import { sameType } from './chunk-boundaries.js';
import { spansOf } from './spans.js';
import { type SpanScheme, schemeLetters } from './tag-scheme.js';

/**
 * Returns tags that mark the same spans in another scheme; each token outside spans gets `O`.
 *
 * Accepts any scheme that `spansOf` reads. `IO` merges neighbouring spans with the same label; all
 * other schemes keep all spans.
 *
 * @example
 * convertTags(['B-NP', 'I-NP', 'B-NP', 'O'], 'BIOES') // => ['B-NP', 'E-NP', 'S-NP', 'O']
 * convertTags(['B-NP', 'I-NP', 'B-NP', 'O'], 'IOB1') // => ['I-NP', 'I-NP', 'B-NP', 'O']
 * convertTags(['U-PER', 'O', 'B', 'L'], 'BIO') // => ['B-PER', 'O', 'B', 'I']
 */
export function convertTags(tags: readonly string[], to: SpanScheme): string[] {
  requireArgument('convertTags: the tags', tags, kinds.texts);
  if (!Object.hasOwn(schemeLetters, to)) {
    throw new TagstreamError('config', `convertTags: unknown scheme ${shown(to)}`, {
      fix: suggestion(String(to), Object.keys(schemeLetters)),
    });
  }
  return tagsOfScheme(spansOf(tags), tags.length, to);
}

/**
 * Returns tags that mark the same spans in BIO; the given list itself if its tags are BIO, as most are. Costs one pass,
 * which allocates nothing in that case.
 *
 * @example
 * inBio(['U-PER', 'O']) // => ['B-PER', 'O']
 */
export function inBio(tags: readonly string[]): readonly string[] {
  let previous = 'O';
  for (const tag of tags) {
    if (tag !== 'O' && !isBio(previous, tag)) return convertTags(tags, 'BIO');
    previous = tag;
  }
  return tags;
}

/** Returns whether BIO writes a tag of a span in this way after another tag in BIO. */
function isBio(previous: string, tag: string): boolean {
  // `B-` has an empty type, and is written as `B`.
  if (tag.length === 2 || (tag.length > 2 && tag[1] !== '-')) return false;
  if (tag[0] === 'B') return true;
  return tag[0] === 'I' && previous !== 'O' && sameType(previous, tag);
}

/** Returns the tags with which a scheme marks spans that are in order and do not overlap. */
export function tagsOfScheme(spans: readonly Span[], length: number, scheme: SpanScheme): string[] {
  const tags: string[] = new Array(length).fill('O');
  for (const [s, span] of spans.entries()) {
    const { label, start, end } = span;
    const type = label === '' ? '' : `-${label}`;
    for (let t = start; t < end; t += 1) {
      tags[t] = letterAt(scheme, t, span, spans[s - 1], spans[s + 1]) + type;
    }
  }
  return tags;
}

/**
 * Returns the letter with which a scheme marks token `t` of a span, given the neighbouring spans.
 */
export function letterAt(
  scheme: SpanScheme,
  t: number,
  span: Span,
  before: Span | undefined,
  behind: Span | undefined,
): string {
  const { first, inside, last, single, firstTouching, lastTouching } = schemeLetters[scheme];
  const { label, start, end } = span;
  if (firstTouching !== undefined && t === start) {
    if (before?.end === start && before.label === label) return firstTouching;
  }
  if (lastTouching !== undefined && t === end - 1) {
    if (behind?.start === end && behind.label === label) return lastTouching;
  }
  if (end - start === 1) return single;
  return t === start ? first : t === end - 1 ? last : inside;
}
