import { join } from 'node:path';
import { makeDirectory } from '../../../formats/files/directories.js';
import { fileError } from '../../../formats/files/file-error.js';
import { FileLock } from '../locks/file-lock.js';

/**
 * Takes the lock of a checkpoint directory, so that no two processes write to it; creates the directory
 * if necessary.
 *
 * @param what description of the directory's contents, for errors
 * @throws TagstreamError `checkpoint` if another process holds the lock, `file` if it cannot be written
 */
export function lockDirectory(directory: string, what = 'the checkpoints'): FileLock {
  try {
    makeDirectory(directory);
  } catch (cause) {
    throw fileError('lock', directory, cause);
  }
  return new FileLock(join(directory, lockName), { source: directory, what, code: 'checkpoint' });
}

/** File name of a checkpoint directory's lock. */
export const lockName = '.lock';

/** File name of the items that a tagging run is processing. */
export const inFlightName = 'in-flight.json';

/** File name of the note on a growing output file. */
export const outputNoteName = 'output.json';

/** File name of the note on a run's questions. */
export const questionsNoteName = 'questions.json';

/**
 * Matches the names that a run writes to a checkpoint directory and removes.
 *
 * @example
 * ['gen-00000012', 'notes.txt'].map(name => checkpointNames.test(name)) // => [true, false]
 */
export const checkpointNames =
  /^(?:gen-\d{8,}|\.tmp-.*|(?:in-flight|output|questions)\.json|\.lock(?:\.taking)?)$/;
