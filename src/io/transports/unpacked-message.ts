import { gunzipSync } from 'node:zlib';
import { TagstreamError } from '../../core/errors.js';
import { isGzip } from '../reading/is-gzip.js';

/** Most bytes that a compressed message may have unpacked. */
const mostUnpacked = 256 * 2 ** 20;

/**
 * The bytes of a message, unpacked where they are gzip.
 *
 * @returns the bytes as they are, and why its records are to be rejected, where they cannot be unpacked
 * @example
 * unpackedMessage('{}').chunk.length // => 2
 */
export function unpackedMessage(bytes: Uint8Array | string): {
  chunk: Uint8Array;
  rejected?: TagstreamError;
} {
  if (typeof bytes === 'string') return { chunk: Buffer.from(bytes) };
  if (!isGzip(bytes)) return { chunk: bytes };
  try {
    return { chunk: gunzipSync(bytes, { maxOutputLength: mostUnpacked }) };
  } catch (cause) {
    const { message } = cause as Error;
    const rejected = new TagstreamError('stage', `the message cannot be unpacked: ${message}`, {
      fix: `send whole gzip files, of at most ${mostUnpacked / 2 ** 20} MiB unpacked`,
      cause,
    });
    return { chunk: bytes, rejected };
  }
}
