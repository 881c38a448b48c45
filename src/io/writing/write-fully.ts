import { writeSync } from 'node:fs';
import { errnoOf } from '../files/file-error.js';

/** Milliseconds between two looks at a pipe that takes nothing at the moment. */
const pause = 5;

/**
 * Writes all bytes into an open file, and waits where the reader of a pipe or socket is slower.
 *
 * @throws a system error
 * @example
 * writeFully(1, new Uint8Array(0)) // => undefined
 */
export function writeFully(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(file, bytes, done);
    } catch (cause) {
      if (errnoOf(cause) !== 'EAGAIN') throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
}
