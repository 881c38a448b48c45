import { TagstreamError } from '../../core/errors.js';
import { gunzipped } from './gunzipped.js';
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
  const read = readBytes(path);
  const bytes = isGzip(read) ? gunzipped(read, path) : read;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TagstreamError('invalid-utf8', 'the file is not UTF-8', {
      place: { source: path },
      fix: 'convert it to UTF-8',
      cause,
    });
  }
}
