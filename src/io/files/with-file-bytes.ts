import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { FileBytes } from '../../models/files/file-bytes.js';
import { fileError } from './file-error.js';
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
      read: (from, into) => attempt(() => fill(descriptor, from, into)),
    });
  } finally {
    closeSync(descriptor);
  }
}

function fill(descriptor: number, from: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const count = readSync(descriptor, into, done, into.length - done, from + done);
    if (count === 0) throw new Error('it has become shorter while it was read');
    done += count;
  }
}
