import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { fileError } from '../files/file-error.js';
import type { Downloaded } from './download-options.js';

/**
 * The SHA-256 and the size of a file, in one pass over it.
 *
 * @throws TagstreamError `file` if it cannot be read
 * @example
 * (await fileDigest('/dev/null')).bytes // => 0
 */
export async function fileDigest(path: string): Promise<Downloaded> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (cause) {
    throw fileError('read', path, cause);
  }
  return { sha256: hash.digest('hex'), bytes };
}
