import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { descriptorOf } from '../files/descriptor-of.js';
import { fileError } from '../files/file-error.js';
import { pipeContents } from './pipe-contents.js';

/**
 * Reads those of some paths that are pipes, or open sockets of the process, to their end, one after the other, and keeps
 * what has come for `readBytes`. All others are left alone.
 *
 * @param signal its abort ends the wait for a writer
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
