import { constants, gunzipSync } from 'node:zlib';
import { TagstreamError } from '../../engine/core/errors.js';
import { isGzip } from './first-bytes.js';
import { mostFileBytes, readBytes } from './read-bytes.js';

/**
 * Reads the text of a whole file synchronously; gzip is decompressed, and a byte order mark is omitted.
 *
 * @throws TagstreamError `file` if it cannot be read or decompressed, `invalid-utf8`
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

/**
 * Returns the contents of a gzip file, decompressed in one call.
 *
 * @param path path of the file, for errors
 * @throws TagstreamError `file` if the data are truncated, damaged, followed by other data, or too large
 */
export function gunzipped(bytes: Uint8Array, path: string): Uint8Array {
  try {
    return gunzipWhole(bytes, mostFileBytes);
  } catch (cause) {
    const isTooLarge = reasonOf(cause) === tooLarge;
    throw new TagstreamError('file', `cannot read ${path}: the gzip data ${reasonOf(cause)}`, {
      fix: isTooLarge ? 'decompress it with gunzip first' : 'check the file with gzip -t',
      cause,
    });
  }
}

/**
 * Returns the contents of gzip data of one or more members; zeros may follow them.
 *
 * @throws errors of zlib, and an error if other data follow; see `reasonOf`
 */
export function gunzipWhole(bytes: Uint8Array, maxOutputLength?: number): Uint8Array {
  const options = { info: true, ...(maxOutputLength === undefined ? {} : { maxOutputLength }) };
  // The types do not know `info`.
  const { buffer, engine } = gunzipSync(bytes, options) as unknown as {
    buffer: Uint8Array;
    engine: { bytesWritten: number };
  };
  if (bytes.subarray(engine.bytesWritten).some(byte => byte !== 0)) throw new Error(followed);
  return buffer;
}

const followed = 'is followed by data that is not gzip';

/** Reason if the decompressed data exceed the limit. */
export const tooLarge = 'is too large to decompress at once';

/**
 * Returns the reason for an error of `gunzipWhole`, as the end of a sentence.
 *
 * @example
 * reasonOf(Object.assign(new Error('unexpected end of file'), { code: 'Z_BUF_ERROR' })) // => 'is cut off'
 */
export function reasonOf(thrown: unknown): string {
  const { code, errno, message } = thrown as { code?: string; errno?: number; message: string };
  if (message === followed) return followed;
  if (errno === constants.Z_BUF_ERROR || code === 'Z_BUF_ERROR') return 'is cut off';
  return code?.startsWith('Z_') === true ? 'is damaged' : tooLarge;
}
