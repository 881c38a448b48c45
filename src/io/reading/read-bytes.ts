import { readFileSync } from 'node:fs';
import { fileError } from '../files/file-error.js';
import { refusePipe } from '../files/refuse-pipe.js';
import { readAhead } from './pipe-contents.js';

/**
 * A whole file, synchronously. Of a pipe only what `readPipesAhead` has read: to wait for its writer here
 * would block the thread.
 *
 * @throws TagstreamError `file`
 * @example
 * readBytes('/dev/null').length // => 0
 */
export function readBytes(path: string): Uint8Array {
  try {
    const ahead = readAhead(path);
    if (ahead !== undefined) return ahead;
    refusePipe('read', path, 'name a plain file');
    const { buffer, byteOffset, length } = readFileSync(path);
    // No Buffer, whose `slice` is no copy.
    return new Uint8Array(buffer, byteOffset, length);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}
