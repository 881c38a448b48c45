import { readFileSync } from 'node:fs';
import { fileError } from './file-error.js';

/**
 * A whole file, synchronously.
 *
 * @throws TagstreamError `file`
 * @example
 * readBytes('/dev/null').length // => 0
 */
export function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}
