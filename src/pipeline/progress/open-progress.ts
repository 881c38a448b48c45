import type { Position } from '../../core/delivery.js';
import { readWhole } from '../../io/checkpoints/read-whole.js';
import type { Output } from '../../io/open-output.js';
import { ResumableFile } from '../../io/resumable-file.js';
import { refuseChanges } from '../refuse-changes.js';
import { ProgressOutput } from './progress-output.js';
import { type ProgressOptions, TaggingProgress, taggingStateOf } from './tagging-progress.js';

/** A tagging run whose progress is to be written down. */
export interface ProgressGiven extends Omit<ProgressOptions, 'output'> {
  /** Where tagged records go. */
  readonly file: string;
  /** Go on from the newest checkpoint, if there is one. */
  readonly resume: boolean;
  /** Whether the run was ended before its input. */
  readonly isStopped: () => boolean;
  readonly onDamaged?: ((name: string, error: Error) => void) | undefined;
}

/** What a source and a sink need so that the run can be gone on with. */
export interface OpenProgress {
  readonly output: Output;
  /** For the source: the last record of the run that is gone on with. */
  readonly resumeAfter: Position | undefined;
  readonly progress: TaggingProgress;
}

/**
 * Opens the output of a tagging run that writes checkpoints, and finds out where it goes on. A run that begins
 * anew writes a checkpoint at once, so that none of an earlier run is ever gone on from.
 *
 * The directory is to be locked before.
 *
 * @throws TagstreamError `checkpoint` if no checkpoint is whole, or it is of another run; `config` or `file` for
 *   an output that cannot be gone on with
 */
export function openProgress(given: ProgressGiven): OpenProgress {
  const { directory, file, resume, isStopped, onDamaged, ...options } = given;
  const parts = resume ? readWhole(directory, onDamaged) : undefined;
  if (parts !== undefined) refuseChanges(parts.run?.json.config, options.config(), directory);
  const before = parts === undefined ? undefined : taggingStateOf(parts);
  const output = new ResumableFile(file, before?.outputBytes);
  const progress = new TaggingProgress({ ...options, directory, output }, before);
  if (before === undefined) progress.write();
  return {
    output: new ProgressOutput(output, progress, isStopped),
    resumeAfter: before?.position ?? undefined,
    progress,
  };
}
