import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { TagstreamError } from '../../engine/core/errors.js';
import { fileError } from '../files/file-error.js';
import { isGzip, isZstd } from './first-bytes.js';
import { openInput } from './open-input.js';
import { readsOnce } from './read-bytes.js';

/** The decompressed beginning of a file. */
export interface Head {
  readonly bytes: Uint8Array;
  /** Whether `bytes` is the whole file. */
  readonly whole: boolean;
  /** Number of bytes in the whole file; for a long gzip file, the size that it states, modulo 2^32. */
  readonly fileBytes: number;
  /** Reason why the file cannot be read beyond `bytes`. */
  readonly damage?: TagstreamError;
}

/**
 * Reads only the first bytes of a file, decompressed if it is gzip. Damage after readable bytes is not thrown, but
 * reported when the file is read.
 *
 * @param most maximum number of bytes to read
 * @throws TagstreamError `file` if it cannot be read
 * @example
 * (await readHead('/dev/null', 10)).whole // => true
 */
export async function readHead(path: string, most: number): Promise<Head> {
  const input = await openInput(path);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let damage: TagstreamError | undefined;
  try {
    for await (const chunk of input.chunks) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > most) break;
    }
  } catch (thrown) {
    if (length === 0 || !(thrown instanceof TagstreamError)) throw thrown;
    damage = thrown;
  } finally {
    input.close();
  }
  const bytes = Buffer.concat(chunks).subarray(0, most);
  if (damage !== undefined) return { bytes, whole: false, fileBytes: length, damage };
  const whole = length <= most;
  return { bytes, whole, fileBytes: whole ? length : unpackedBytes(path, length) };
}

/**
 * Returns the length of a plain file; for gzip, that in its last four bytes, if plausible; for a pipe, the number of
 * bytes that have arrived.
 */
function unpackedBytes(path: string, least: number): number {
  if (readsOnce(path)) return least;
  const { size } = statSync(path);
  try {
    const file = openSync(path, 'r');
    try {
      const [first, last] = [Buffer.alloc(4), Buffer.alloc(4)];
      readSync(file, first, 0, 4, 0);
      if (isZstd(first)) return least;
      if (!isGzip(first)) return size;
      readSync(file, last, 0, 4, Math.max(0, size - 4));
      return Math.max(least, last.readUInt32LE());
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}
