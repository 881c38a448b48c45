import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { fileError } from '../files/file-error.js';
import { gunzipped } from './gunzipped.js';
import { isGzip } from './is-gzip.js';
import { readBytes } from './read-bytes.js';

const chunkBytes = 2 ** 20;

/**
 * The bytes of a file in chunks, synchronously; what begins as gzip does is unpacked, all of it at once. The memory of a
 * chunk may be used again for the next one.
 *
 * @throws TagstreamError `file` if it cannot be read or unpacked
 * @example
 * [...syncChunks('/dev/null')] // => []
 */
export function* syncChunks(path: string): Generator<Uint8Array, void, undefined> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true || beginsAsGzip(path)) {
    const bytes = readBytes(path);
    const all = isGzip(bytes) ? gunzipped(bytes, path) : bytes;
    for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
    return;
  }
  yield* plainChunks(path);
}

function* plainChunks(path: string): Generator<Uint8Array, void, undefined> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const file = opened(path);
  try {
    for (let read = next(file, chunk, path); read > 0; read = next(file, chunk, path)) {
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

function beginsAsGzip(path: string): boolean {
  const file = opened(path);
  try {
    const head = Buffer.alloc(2);
    next(file, head, path);
    return isGzip(head);
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}

function next(file: number, chunk: Buffer, path: string): number {
  try {
    return readSync(file, chunk);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}
