import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { contentDigest } from './content-digest.js';

/** Bytes at the beginning of a file that its digest is of. */
const looked = 65_536;

/** What a file is recognised by later, wherever it is then: its size, and the digest of its first 64 KiB. */
export interface FileMark {
  readonly bytes: number;
  readonly start: string;
}

/** The mark of a plain file; undefined where there is none, or it is a pipe or device. */
export function fileMark(path: string): FileMark | undefined {
  const stats = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  const start = Buffer.alloc(Math.min(looked, stats.size));
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, start, 0, start.length, 0);
    return { bytes: stats.size, start: contentDigest([start.subarray(0, read)]) };
  } finally {
    closeSync(file);
  }
}
