import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileError, refusePipe } from '../files/file-error.js';
import { descriptorOf } from '../files/open-files.js';

/**
 * Reads a whole file synchronously; for a pipe, returns what `readPipesAhead` has read, because waiting for its writer
 * would block the thread.
 *
 * @throws TagstreamError `file`
 * @example
 * readBytes('/dev/null').length // => 0
 */
export function readBytes(path: string): Uint8Array {
  try {
    const ahead = readAhead(path);
    if (ahead !== undefined) return ahead;
    refusePipe('read', path, 'name a plain file');
    const { buffer, byteOffset, length } = readFileSync(path);
    // Not a Buffer, whose `slice` does not copy.
    return new Uint8Array(buffer, byteOffset, length);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
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
      for await (const chunk of pipe as AsyncIterable<Uint8Array>) chunks.push(chunk);
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
