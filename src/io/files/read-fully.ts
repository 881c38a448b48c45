import { readSync } from 'node:fs';

/** Bytes that are asked for at once: more than 2 GiB are refused. */
const most = 2 ** 30;

/**
 * Fills `bytes` from an open file; false where it ends before.
 *
 * @param position of the first byte in the file, or null for where the last reading has ended
 */
export function readFully(file: number, bytes: Uint8Array, position: number | null): boolean {
  for (let done = 0; done < bytes.length; ) {
    const at = position === null ? null : position + done;
    const read = readSync(file, bytes, done, Math.min(bytes.length - done, most), at);
    if (read === 0) return false;
    done += read;
  }
  return true;
}
