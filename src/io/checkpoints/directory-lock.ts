import { join } from 'node:path';
import { fileError } from '../files/file-error.js';
import { makeDirectory } from '../files/make-directory.js';
import { FileLock } from '../locks/file-lock.js';
import { lockName } from './directory-names.js';

/**
 * Takes the lock of a checkpoint directory, so that no two processes write to it; it is made if need be.
 *
 * @param what is in the directory, for errors
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
