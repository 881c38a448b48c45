import { TagstreamError } from '../../core/errors.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';
import { convertTags } from '../../text/tags/convert-tags.js';

/** The labels of a place in a span. In schemes without E and S, the first and an inside token may be the last as well. */
const finer: Readonly<Record<string, string>> = {
  ...{ B: 'BS', I: 'IE', M: 'I' },
  ...{ E: 'E', L: 'E', S: 'S', U: 'S', W: 'S' },
};

const spanTag = /^(?:O|[BIESLUMW](?:-.+)?)$/s;

/**
 * All labels of a span type, of which tags of the records are made: a model that knows one of them knows all.
 *
 * @example
 * siblings('E-X') // => ['B-X', 'I-X', 'E-X', 'S-X']
 * siblings('O') // => ['O']
 */
export function siblings(label: string): string[] {
  return label === 'O' ? ['O'] : [...'BIES'].map(letter => letter + label.slice(1));
}

/**
 * The tag that records have for a label: BIO, whose B also starts spans of one token, and whose I also ends spans.
 *
 * @example
 * ['S-X', 'E-X', 'B-X', 'O'].map(reportedTag) // => ['B-X', 'I-X', 'B-X', 'O']
 */
export function reportedTag(label: string): string {
  if (label[0] === 'S') return `B${label.slice(1)}`;
  return label[0] === 'E' ? `I${label.slice(1)}` : label;
}

/**
 * The labels of a sentence whose tags are of any scheme that marks spans.
 *
 * @throws TagstreamError `unknown-label` for a tag that marks no span
 */
export function bioesOf(tags: readonly string[]): string[] {
  for (const tag of tags) requireSpanTag(tag);
  return convertTags(tags, 'BIOES');
}

/**
 * The labels that partially known tags leave: all that are reported as one of them.
 *
 * @throws TagstreamError `unknown-label` for a tag that marks no span
 * @example
 * partialBioes(['B-X', null, ['O', 'I-X']]) // => [['B-X', 'S-X'], null, ['O', 'I-X', 'E-X']]
 */
export function partialBioes(tags: readonly PartialTag[]): PartialTag[] {
  return tags.map(tag => (tag === null ? null : [tag].flat().flatMap(labelsOf)));
}

/** The labels that are reported as a tag, and that tag itself where it is one of them. */
export function labelsOf(tag: string): string[] {
  requireSpanTag(tag);
  if (tag === 'O') return [tag];
  return [...finer[tag[0]!]!].map(letter => letter + tag.slice(1));
}

function requireSpanTag(tag: string): void {
  if (spanTag.test(tag)) return;
  throw new TagstreamError('unknown-label', `encode: bioes, but the tag "${tag}" marks no span`, {
    fix: 'tags are O, B-X and I-X; leave encode out for other labels',
  });
}
