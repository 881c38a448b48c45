import { closeSync, fsyncSync } from 'node:fs';
import { type FileAccess, openAs } from '../files/file-access.js';
import { errnoOf } from '../files/file-error.js';
import { writeFully } from './write-fully.js';

/** Where the pieces go. */
export interface DurableOptions {
  /** Of the file that the new one takes the place of. */
  readonly access?: FileAccess | undefined;
  /** An open file to write to, in place of the path; it stays open. */
  readonly descriptor?: number | undefined;
}

/** Writes pieces one after the other into a new file and flushes it to the disk. */
export function writeDurably(
  path: string,
  pieces: Iterable<string | Uint8Array>,
  { access, descriptor }: DurableOptions = {},
): void {
  const file = descriptor ?? openAs(path, 'w', access);
  try {
    for (const piece of pieces) {
      writeFully(file, typeof piece === 'string' ? Buffer.from(piece) : piece);
    }
    flush(file);
  } finally {
    if (file !== descriptor) closeSync(file);
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
