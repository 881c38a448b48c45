import { TagstreamError } from '../../core/errors.js';
import { unreportedResult } from '../../pipeline/options/unreported-result.js';
import type { TagArguments } from './tag-arguments.js';

/**
 * Refuses results that would be computed and not written.
 *
 * @throws TagstreamError `usage`
 */
export function refuseUnreported(given: TagArguments, format: string): void {
  if (given.into !== undefined && given.output === 'tags') {
    throw new TagstreamError('usage', '--into with --output tags', {
      fix: 'leave one of them out: the shortest form holds id and tags alone',
    });
  }
  const found = unreportedResult(given, format, given.output);
  if (found === undefined) return;
  const { result, because, fix } = found;
  const option = result.replace(/[A-Z]/, capital => `-${capital.toLowerCase()}`);
  throw new TagstreamError('usage', `--${option} would not be written: ${because}`, { fix });
}
