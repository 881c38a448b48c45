import { checkpointNames } from '../../io/checkpoints/directory-names.js';
import { withRotations } from '../../io/dead-letters/rotation-name.js';
import { resumableUses } from '../../io/written-uses.js';
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
