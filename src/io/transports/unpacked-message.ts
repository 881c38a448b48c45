import { TagstreamError } from '../../core/errors.js';
import { gunzipWhole, reasonOf } from '../reading/gunzipped.js';
import { isGzip } from '../reading/is-gzip.js';

/** Most bytes that a compressed message may have unpacked. */
const mostUnpacked = 256 * 2 ** 20;

/**
 * The bytes of a message, unpacked where they are gzip.
 *
 * @returns the bytes as they are, and why the message is rejected as one record, where they cannot be unpacked
 * @example
 * unpackedMessage('{}').chunk.length // => 2
 */
export function unpackedMessage(bytes: Uint8Array | string): {
  chunk: Uint8Array;
  unreadable?: TagstreamError;
} {
  if (typeof bytes === 'string') return { chunk: Buffer.from(bytes) };
  if (!isGzip(bytes)) return { chunk: bytes };
  try {
    return { chunk: gunzipWhole(bytes, mostUnpacked) };
  } catch (cause) {
    const problem = `the message cannot be unpacked: its gzip data ${reasonOf(cause)}`;
    const unreadable = new TagstreamError('stage', problem, {
      fix: `send whole gzip files, of at most ${mostUnpacked / 2 ** 20} MiB unpacked`,
      cause,
    });
    return { chunk: bytes, unreadable };
  }
}
