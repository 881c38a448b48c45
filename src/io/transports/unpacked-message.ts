import { TagstreamError } from '../../core/errors.js';
import { defaultMaxLineBytes } from '../lines/lines.js';
import { gunzipWhole, reasonOf, tooLarge } from '../reading/gunzipped.js';
import { isGzip } from '../reading/is-gzip.js';

/**
 * The bytes of a message, unpacked where they are gzip. A message that has more bytes unpacked than a record may have is
 * refused as soon as it has; nothing of it is kept.
 *
 * @param maxLineBytes bytes of a record at most; 16 MiB are taken in any case
 * @returns the bytes as they are, and why the message is rejected as one record, where they cannot be unpacked
 * @example
 * unpackedMessage('{}').chunk.length // => 2
 */
export function unpackedMessage(
  bytes: Uint8Array | string,
  maxLineBytes = defaultMaxLineBytes,
): {
  chunk: Uint8Array;
  unreadable?: TagstreamError;
} {
  if (typeof bytes === 'string') return { chunk: Buffer.from(bytes) };
  if (!isGzip(bytes)) return { chunk: bytes };
  const most = Math.max(maxLineBytes, defaultMaxLineBytes);
  try {
    return { chunk: gunzipWhole(bytes, most) };
  } catch (cause) {
    return { chunk: bytes, unreadable: unreadable(cause, most) };
  }
}

function unreadable(cause: unknown, most: number): TagstreamError {
  const reason = reasonOf(cause);
  if (reason === tooLarge) {
    return new TagstreamError('too-long', `a message of more than ${most} bytes unpacked`, {
      fix: 'raise maxLineBytes, or send fewer records in a message',
    });
  }
  const problem = `the message cannot be unpacked: its gzip data ${reason}`;
  return new TagstreamError('stage', problem, { fix: 'send whole gzip files', cause });
}
