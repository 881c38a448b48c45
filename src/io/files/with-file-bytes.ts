import { closeSync, fstatSync, openSync } from 'node:fs';
import type { FileBytes } from '../../models/files/file-bytes.js';
import { fileError } from './file-error.js';
import { readFully } from './read-fully.js';
import { refusePipe } from './refuse-pipe.js';

/**
 * What `read` makes of a plain file, which is open meanwhile: of a part that it asks for there is no copy elsewhere.
 *
 * @throws TagstreamError `file`, where it cannot be read or becomes shorter
 * @example
 * withFileBytes('package.json', ({ length }) => length > 100) // => true
 */
export function withFileBytes<Result>(path: string, read: (bytes: FileBytes) => Result): Result {
  const attempt = <Value>(action: () => Value): Value => {
    try {
      return action();
    } catch (cause) {
      throw fileError('read', path, cause);
    }
  };
  refusePipe('read', path, 'name a plain file');
  const descriptor = attempt(() => openSync(path, 'r'));
  try {
    const { size: length } = attempt(() => fstatSync(descriptor));
    return read({
      length,
      read(from, into) {
        if (attempt(() => readFully(descriptor, into, from))) return;
        throw fileError('read', path, new Error('it has become shorter while it was read'));
      },
    });
  } finally {
    closeSync(descriptor);
  }
}
