import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Position } from '../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../engine/core/errors.js';
import { fileError } from '../files/file-error.js';
import { hashing } from '../files/node-parts.js';
import { isGzip, isZstd } from './first-bytes.js';
import { readsOnce } from './read-bytes.js';

/** Number of bytes before a position that identify all bytes up to it. */
const most = 4096;

/**
 * Returns the SHA-256 of up to 4 KiB before a position of a plain file, to detect later whether the file is still the
 * one that was read. Undefined for inputs without such bytes: standard input, pipes, devices, gzip, messages.
 *
 * @throws TagstreamError `checkpoint` if the file ends before the position, `file` if it cannot be read
 * @example
 * inputFingerprint({ source: '/dev/null', line: 1, start: 0, end: 0 }) // => undefined
 */
export function inputFingerprint(position: Position): string | undefined {
  const { source, line, end, cursor } = position;
  if (cursor !== undefined) return undefined;
  // Annotations are read together with their text, so positions in them are not positions in the file.
  if (source.endsWith('.ann')) return undefined;
  // Opening a pipe waits for its writer, which may be gone.
  if (readsOnce(source)) return undefined;
  let file: number | undefined;
  try {
    file = openSync(source, 'r');
    const { size } = fstatSync(file);
    if (isPackedFile(file)) return undefined;
    const last = size < end && isOneObject(file) ? size : end;
    if (size < last) {
      throw new TagstreamError(
        'checkpoint',
        `the input has ${size} bytes, but the run had already read ${end}: it was truncated or replaced`,
        { place: { source, line }, fix: 'give the same input as before' },
      );
    }
    const bytes = Buffer.alloc(Math.min(most, last));
    const read = readSync(file, bytes, 0, bytes.length, last - bytes.length);
    return hashing().createHash('sha256').update(bytes.subarray(0, read)).digest('hex');
  } catch (cause) {
    throw fileError('read', source, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Rejects an input other than the checkpoint's; a file to which data was only appended counts as the same.
 *
 * @param fingerprint fingerprint of the input at `position`, computed by the run that was reading it
 * @throws TagstreamError `checkpoint`, `file`
 */
export function requireSameInput(position: Position, fingerprint: string | undefined): void {
  const now = inputFingerprint(position);
  if (now === undefined || fingerprint === undefined || now === fingerprint) return;
  const { source, line } = position;
  throw new TagstreamError(
    'checkpoint',
    `the input before byte ${position.end} differs from what the run had read`,
    { place: { source, line }, fix: 'give the same input; it may have grown' },
  );
}

/** Returns whether a file is one JSON object, whose lines may be longer than the file. */
function isOneObject(file: number): boolean {
  const head = Buffer.alloc(2 ** 20);
  const text = head.toString('utf8', 0, readSync(file, head, 0, head.length, 0)).trim();
  if (!text.startsWith('{')) return false;
  const line = text.split('\n', 1)[0]!;
  if (line.length === text.length) return true;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return true;
  }
}

function isPackedFile(file: number): boolean {
  const head = Buffer.alloc(4);
  readSync(file, head, 0, 4, 0);
  return isGzip(head) || isZstd(head);
}
