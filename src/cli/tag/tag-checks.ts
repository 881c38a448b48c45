import { TagstreamError } from '../../core/errors.js';
import { checkpointNames } from '../../io/checkpoints/directory-names.js';
import { withRotations } from '../../io/dead-letters/rotation-name.js';
import { resumableUses } from '../../io/written-uses.js';
import { unreportedResult } from '../../pipeline/options/unreported-result.js';
import { redactionPattern } from '../../text/redact.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import { requireFilesApart } from '../files/require-files-apart.js';
import { filesUsed } from '../options/use-option.js';
import type { TagArguments } from './tag-arguments.js';

/**
 * Makes sure that `tag` writes nothing that it reads, or writes in another way as well.
 *
 * @throws TagstreamError `usage`
 */
export function requireTagFilesApart(given: TagArguments): void {
  const { inputs, model, dictionary, rules, replay, out, html, checkpoint } = given;
  const isReplay = replay !== undefined && replay !== '-';
  const resumable = checkpoint !== undefined && out !== '-';
  requireFilesApart({
    reads: {
      ...(isReplay ? { 'the dead letters to replay': withRotations(replay) } : {}),
      ...(replay === undefined ? { 'the input': inputs } : {}),
      'the model': model,
      'the dictionary': dictionary === false ? undefined : dictionary,
      'the rules': rules,
      'the plug-in': filesUsed(given),
    },
    writes: {
      'the page': html,
      'the output': resumable || html !== undefined ? undefined : out,
    },
    more: [
      ...(resumable ? resumableUses(out) : []),
      ...(checkpoint === undefined
        ? []
        : [{ path: checkpoint, what: 'the folder of checkpoints', names: checkpointNames }]),
    ],
    deadLetters: chosenDeadLetters(given, { policy: 'skip' }, true),
  });
}

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
