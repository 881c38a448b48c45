import { join } from 'node:path';
import { makeDirectory } from '../files/directories.js';
import { fileError } from '../files/file-error.js';
import { FileLock } from '../locks/file-lock.js';

/**
 * Takes the lock of a checkpoint directory, so that no two processes write to it; creates the directory
 * if necessary.
 *
 * @param what the contents of the directory, for errors
 * @throws TagstreamError `checkpoint` if another process has it, `file` if it cannot be written
 */
export function lockDirectory(directory: string, what = 'the checkpoints'): FileLock {
  try {
    makeDirectory(directory);
  } catch (cause) {
    throw fileError('lock', directory, cause);
  }
  return new FileLock(join(directory, lockName), { source: directory, what, code: 'checkpoint' });
}

/** The lock of a checkpoint directory. */
export const lockName = '.lock';

/** The items that a tagging run is processing. */
export const inFlightName = 'in-flight.json';

/** The note of the output file that grows. */
export const outputNoteName = 'output.json';

/** The same for the questions of a run. */
export const questionsNoteName = 'questions.json';

/**
 * Names in a checkpoint directory that a run writes and removes.
 *
 * @example
 * ['gen-00000012', 'notes.txt'].map(name => checkpointNames.test(name)) // => [true, false]
 */
export const checkpointNames =
  /^(?:gen-\d{8,}|\.tmp-.*|(?:in-flight|output|questions)\.json|\.lock(?:\.taking)?)$/;
