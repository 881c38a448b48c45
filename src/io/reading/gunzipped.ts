import { gunzipSync } from 'node:zlib';
import { TagstreamError } from '../../core/errors.js';

/**
 * The contents of a gzip file, all at once.
 *
 * @param path of the file, for errors
 * @throws TagstreamError `file` if they are damaged, or too large for that
 */
export function gunzipped(bytes: Uint8Array, path: string): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch (cause) {
    const isDamaged = (cause as { code?: string }).code?.startsWith('Z_') === true;
    throw new TagstreamError(
      'file',
      `cannot read ${path}: the gzip data is ${isDamaged ? 'damaged' : 'too large to be unpacked at once'}`,
      { fix: isDamaged ? 'check the file with gzip -t' : 'unpack it with gunzip first', cause },
    );
  }
}
