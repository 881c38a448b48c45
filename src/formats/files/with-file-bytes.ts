import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { FileBytes } from '../../engine/models/files/section-file.js';
import { fileError, refusePipe } from './file-error.js';

/**
 * Returns the result of `read` on a plain file, which is open during the call: requested parts are read without extra
 * copies. Parts requested later open it again.
 *
 * @throws TagstreamError `file` if it cannot be read or becomes shorter
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
  refusePipe('read', path, 'name a regular file');
  const descriptor = attempt(() => openSync(path, 'r'));
  let isOpen = true;
  try {
    const { size: length } = attempt(() => fstatSync(descriptor));
    return read({
      length,
      isInMemory: false,
      read(from, into) {
        if (!isOpen) return withFileBytes(path, again => again.read(from, into));
        if (attempt(() => readFully(descriptor, into, from))) return;
        throw fileError('read', path, new Error('it was truncated while being read'));
      },
    });
  } finally {
    isOpen = false;
    closeSync(descriptor);
  }
}

/** Maximum number of bytes per read: reads of more than 2 GiB are refused. */
const most = 2 ** 30;

/**
 * Fills `bytes` from an open file; returns false if the file is shorter.
 *
 * @param position position of the first byte in the file, or null to continue
 */
export function readFully(file: number, bytes: Uint8Array, position: number | null): boolean {
  for (let done = 0; done < bytes.length; ) {
    const at = position === null ? null : position + done;
    const read = readSync(file, bytes, done, Math.min(bytes.length - done, most), at);
    if (read === 0) return false;
    done += read;
  }
  return true;
}
