import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { errnoOf } from './file-error.js';

/** Milliseconds between checks for a pipe's reader. */
const interval = 20;

/**
 * Opens a named pipe as a stream that can be closed immediately, even without a writer, for which a file stream would
 * block in `read` or `open`. It waits for the first writer and ends with the last.
 *
 * @throws errors of the file system
 */
export function openFifo(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/**
 * Opens a named pipe as a writable stream once it has a reader. Neither the wait nor an idle reader
 * blocks a thread.
 *
 * @param signal aborts the wait
 * @throws (rejects with) the reason of the signal, errors of the file system
 */
export async function openFifoToWrite(path: string, signal?: AbortSignal): Promise<Socket> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (cause) {
      // The pipe has no reader yet.
      if (errnoOf(cause) !== 'ENXIO') throw cause;
    }
    signal?.throwIfAborted();
    await setTimeout(interval, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
