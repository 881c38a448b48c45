import { TagstreamError } from '../../core/errors.js';
import { schemeAllows } from '../../text/tags/scheme-transitions.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { FixedTags } from '../task/fixed-tags.js';
import type { DividedRecord } from './record-reader.js';

/**
 * Refuses tags that cannot be those of a record: of another length, of another task, or a span that does not begin in its
 * sentence.
 *
 * @throws TagstreamError `usage`
 */
export function requireTags(
  { kind, tags: known }: AnnotationTask,
  tags: FixedTags,
  { tokens, ranges }: Pick<DividedRecord, 'tokens' | 'ranges'>,
): void {
  if (tags.length !== tokens.length) {
    throw new TagstreamError('usage', `${tags.length} tags for ${tokens.length} tokens`, {
      fix: 'load the page again',
    });
  }
  const t = firstMisfit({ kind, tags: known }, tags, ranges);
  if (t < 0) return;
  throw new TagstreamError(
    'usage',
    `the tag ${JSON.stringify(tags[t])} cannot stand at token ${t}`,
    { fix: `the labels are ${known.slice(0, 8).join(', ')}` },
  );
}

/** Whether tags can be those of a record: see `requireTags`. */
export function tagsFit(
  task: Pick<AnnotationTask, 'kind' | 'tags'>,
  tags: FixedTags,
  { tokens, ranges }: Pick<DividedRecord, 'tokens' | 'ranges'>,
): boolean {
  return tags.length === tokens.length && firstMisfit(task, tags, ranges) < 0;
}

function firstMisfit(
  { kind, tags: known }: Pick<AnnotationTask, 'kind' | 'tags'>,
  tags: FixedTags,
  ranges: DividedRecord['ranges'],
): number {
  const begins = new Set(ranges.map(([start]) => start));
  return tags.findIndex((tag, t) => {
    if (tag === null) return false;
    const before = begins.has(t) ? undefined : (tags[t - 1] ?? 'O');
    return !known.includes(tag) || (kind === 'spans' && !schemeAllows('BIO', before, tag));
  });
}
