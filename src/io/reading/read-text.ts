import { gunzipSync } from 'node:zlib';
import { TagstreamError } from '../../core/errors.js';
import { isGzip } from './is-gzip.js';
import { readBytes } from './read-bytes.js';

/**
 * The text of a whole file, synchronously; what begins as gzip does is unpacked, a byte order mark left out.
 *
 * @throws TagstreamError `file` if it cannot be read or unpacked, `invalid-utf8`
 * @example
 * readText('/dev/null') // => ''
 */
export function readText(path: string): string {
  const bytes = readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      isGzip(bytes) ? gunzipSync(bytes) : bytes,
    );
  } catch (cause) {
    const { code = '' } = cause as { code?: string };
    if (code.startsWith('Z_')) {
      throw new TagstreamError('file', `cannot read ${path}: the gzip data is damaged`, {
        fix: 'check the file with gzip -t',
        cause,
      });
    }
    throw new TagstreamError('invalid-utf8', 'the file is not UTF-8', {
      place: { source: path },
      fix: 'convert it to UTF-8',
      cause,
    });
  }
}
