import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TagstreamError } from '../../engine/core/errors.js';
import { fileError, refusePipe } from '../files/file-error.js';
import { descriptorOf } from '../files/open-files.js';

/** Maximum size of a file or pipe that is read as a whole, in bytes: what the engine reads in one call. */
export const mostFileBytes = 2 ** 31 - 1;

/** Maximum number of bytes of a device that is read as a whole. */
const mostDeviceBytes = 2 ** 20;

/**
 * Reads a whole file of at most 2 GiB synchronously; for a pipe, returns what `readPipesAhead` has read, because waiting
 * for its writer would block the thread. A device has to end within 1 MiB.
 *
 * @throws TagstreamError `file`, also if it is larger
 * @example
 * readBytes('/dev/null').length // => 0
 */
export function readBytes(path: string): Uint8Array {
  try {
    const ahead = readAhead(path);
    if (ahead !== undefined) return ahead;
    refusePipe('read', path, 'name a plain file');
    const stats = statSync(path);
    if (stats.size > mostFileBytes) throw tooLong(path, 'larger than 2 GiB');
    if (!stats.isFile() && !stats.isDirectory()) return readDevice(path);
    const { buffer, byteOffset, length } = readFileSync(path);
    // Not a Buffer, whose `slice` does not copy.
    return new Uint8Array(buffer, byteOffset, length);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}

/** Reads a device to its end. */
function readDevice(path: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(mostDeviceBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length === bytes.length) throw tooLong(path, 'a device that does not end within 1 MiB');
    return new Uint8Array(bytes.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

function tooLong(path: string, what: string): TagstreamError {
  return new TagstreamError('file', `cannot read ${path}: it is ${what}`, {
    fix: 'name a regular file of at most 2 GiB',
  });
}

/** Contents of pipes that were read to their end, by absolute path: a pipe cannot be read twice. */
export const pipeContents = new Map<string, Uint8Array>();

/** Returns the contents read ahead from this path, if it is a pipe. */
export function readAhead(path: string): Uint8Array | undefined {
  return pipeContents.size === 0 ? undefined : pipeContents.get(resolve(path));
}

/**
 * Returns whether a source can be read only once: the standard input, a pipe, a socket, a device. False for a missing
 * file. Opens nothing.
 *
 * @param source a path, `-`, or the name of a source in positions
 * @example
 * [readsOnce('-'), readsOnce('<stdin>'), readsOnce('/dev/null'), readsOnce('/no/file')] // => [true, true, true, false]
 */
export function readsOnce(source: string): boolean {
  if (source === '-' || source === '<stdin>') return true;
  try {
    const stats = statSync(source);
    return !stats.isFile() && !stats.isDirectory();
  } catch {
    return false;
  }
}

/**
 * Reads the paths that are pipes or open sockets of the process to their end, one after the other, and keeps their
 * contents for `readBytes`. Ignores all other paths.
 *
 * @param signal ends the wait for a writer when aborted
 * @throws (rejects with) the reason of the signal, TagstreamError `file`
 * @example
 * await readPipesAhead(['/dev/null', '/no/file', undefined]) // => undefined
 */
export async function readPipesAhead(
  paths: readonly (string | false | undefined)[],
  signal?: AbortSignal,
): Promise<void> {
  for (const path of paths) {
    if (path === undefined || path === false) continue;
    const kind = statSync(path, { throwIfNoEntry: false });
    const socket = kind?.isSocket() === true ? descriptorOf(path) : undefined;
    if (kind?.isFIFO() !== true && socket === undefined) continue;
    const key = resolve(path);
    if (!pipeContents.has(key)) pipeContents.set(key, await wholePipe(path, socket, signal));
  }
}

async function wholePipe(
  path: string,
  socket: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { openFifo } = await import('../files/open-fifo.js');
  const { openSocket } = await import('./open-socket.js');
  const chunks: Uint8Array[] = [];
  try {
    const pipe = socket === undefined ? openFifo(path) : openSocket(socket);
    const close = () => pipe.destroy();
    signal?.addEventListener('abort', close);
    try {
      signal?.throwIfAborted();
      let length = 0;
      for await (const chunk of pipe as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        if (length > mostFileBytes) throw tooLong(path, 'larger than 2 GiB');
        chunks.push(chunk);
      }
    } finally {
      signal?.removeEventListener('abort', close);
      pipe.destroy();
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw fileError('read', path, cause);
  }
  signal?.throwIfAborted();
  return Buffer.concat(chunks);
}
