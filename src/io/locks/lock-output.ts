import { basename, dirname, join } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { errnoOf } from '../files/file-error.js';
import { FileLock } from './file-lock.js';

/** Why no file can be made beside another, or linked to. */
const unlockable = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'],
  ...['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'ENAMETOOLONG'],
]);

/**
 * The name of the lock of a file that grows while it is written.
 *
 * @example
 * outputLockOf('out/tagged.ndjson') // => 'out/.tagged.ndjson.lock'
 */
export function outputLockOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.lock`);
}

/**
 * Locks a file that grows under a name that another process would write to as well. (An output with a temporary
 * name of its own needs no lock: it is whole whoever gives it its name last.) Undefined where the folder takes no
 * lock; then nothing keeps others out.
 *
 * @param path with all links followed
 * @throws TagstreamError `file` if another process is writing to it
 */
export function lockOutput(path: string): FileLock | undefined {
  try {
    return new FileLock(outputLockOf(path), { source: path, what: 'the file', code: 'file' });
  } catch (thrown) {
    const errno = thrown instanceof TagstreamError ? errnoOf(thrown.cause) : undefined;
    if (errno !== undefined && unlockable.has(errno)) return undefined;
    throw thrown;
  }
}
