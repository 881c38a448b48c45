import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * A named pipe as a stream that closes at once, also while nobody writes: a file stream would sit in a
 * blocking read, or in `open`, until somebody does. It waits for the first writer and ends with the last.
 *
 * @throws what the file system throws
 */
export function openFifo(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
