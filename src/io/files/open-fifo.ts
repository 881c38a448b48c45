import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { errnoOf } from './file-error.js';

/** Milliseconds between two looks whether a pipe has a reader. */
const interval = 20;

/**
 * Opens a named pipe as a stream that closes at once, even without a writer: a file stream would sit in a
 * blocking read, or in `open`, until somebody does. It waits for the first writer and ends with the last.
 *
 * @throws what the file system throws
 */
export function openFifo(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/**
 * A named pipe as a stream to write to, once it has a reader. Neither the wait nor a reader that stands
 * still blocks a thread.
 *
 * @param signal its abort ends the wait
 * @throws (rejects with) the reason of the signal, what the file system throws
 */
export async function openFifoToWrite(path: string, signal?: AbortSignal): Promise<Socket> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return new Socket({ fd, readable: false, writable: true });
    } catch (cause) {
      // It has no reader yet.
      if (errnoOf(cause) !== 'ENXIO') throw cause;
    }
    signal?.throwIfAborted();
    await setTimeout(interval, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
