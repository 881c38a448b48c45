import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { errnoOf } from './file-error.js';

/** Writes pieces one after the other into a new file and flushes it to the disk. */
export function writeDurably(path: string, pieces: Iterable<string | Uint8Array>): void {
  const file = openSync(path, 'w');
  try {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    }
    flush(file);
  } finally {
    closeSync(file);
  }
}

function flush(file: number): void {
  try {
    fsyncSync(file);
  } catch (cause) {
    // Pipes and devices have nothing to flush.
    if (errnoOf(cause) !== 'EINVAL') throw cause;
  }
}
