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
  const begins = new Set(ranges.map(([start]) => start));
  for (const [t, tag] of tags.entries()) {
    if (tag === null) continue;
    const before = begins.has(t) ? undefined : (tags[t - 1] ?? 'O');
    const fits = known.includes(tag) && (kind === 'tags' || schemeAllows('BIO', before, tag));
    if (fits) continue;
    throw new TagstreamError('usage', `the tag ${JSON.stringify(tag)} cannot stand at token ${t}`, {
      fix: `the labels are ${known.slice(0, 8).join(', ')}`,
    });
  }
}
