import { TagstreamError } from '../../core/errors.js';
import { unreportedResult } from '../../pipeline/options/unreported-result.js';
import { redactionPattern } from '../../text/redact.js';
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
  if (given.redact !== undefined) refuseBesideText(given, format);
  const found = unreportedResult(given, format, given.output);
  if (found === undefined) return;
  const { result, because, fix } = found;
  const option = result.replace(/[A-Z]/, capital => `-${capital.toLowerCase()}`);
  throw new TagstreamError('usage', `--${option} would not be written: ${because}`, { fix });
}

/** Refuses what redacted texts have no place for, and what would write a text as it was. */
function refuseBesideText(given: TagArguments, format: string): void {
  redactionPattern(given.redact!);
  const refuse = (problem: string, fix: string): never => {
    throw new TagstreamError('usage', `--redact ${problem}`, { fix });
  };
  if (format !== 'ndjson' && format !== 'text') {
    refuse(`with records of the format ${format}`, 'read NDJSON or text');
  }
  if (given.output === 'tags') refuse('with --output tags', 'leave one of them out');
  if (given.into !== undefined) refuse('with --into: no results are written', 'leave one out');
  if (given.onBad?.some(policy => policy.endsWith('pass')) === true) {
    refuse('with --on-bad pass: bad records would come out as they are', 'use skip or dead-letter');
  }
  const result = [
    ...([
      'scores',
      'marginals',
      'probability',
      'nbest',
      'spanProbabilities',
      'modelVersion',
    ] as const),
  ].find(name => (given[name] ?? false) !== false);
  if (result !== undefined) {
    const option = result.replace(/[A-Z]/, capital => `-${capital.toLowerCase()}`);
    refuse(`with --${option}: no results are written`, 'leave one of them out');
  }
}
