import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { os } from './node-parts.js';

/**
 * Creates a directory and its missing parents, one by one: Node 20's recursive form never returns if the system refuses
 * a directory as if its parent were missing, as below /proc.
 *
 * @param mode permissions of new directories
 * @throws the system's error for the first directory that cannot be created
 * @example
 * makeDirectory('.'); // it is there already
 * typeof makeDirectory // => 'function'
 */
export function makeDirectory(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let next = path; !existsSync(next) && next !== dirname(next); next = dirname(next)) {
    missing.unshift(next);
  }
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode });
    } catch (error) {
      // Another process may have created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Makes the names in a directory durable, if the system supports it: only then is a rename durable. */
export function syncDirectory(path: string): void {
  let directory: number;
  try {
    directory = openSync(path, 'r');
  } catch {
    return; // Windows cannot open directories, and its renames need no flush.
  }
  try {
    fsyncSync(directory);
  } catch {
    // Some network file systems refuse to flush.
  } finally {
    closeSync(directory);
  }
}

let count = 0;

/** Suffix of this process: processes in different containers may have the same number. */
const ours = Math.random().toString(36).slice(2, 8);

/** Returns a name next to `path` that no other open file of this or another process has. */
export function temporaryName(path: string): string {
  count += 1;
  return join(dirname(path), `.${basename(path)}.${process.pid}-${ours}-${count}.tmp`);
}

/**
 * Returns the folder for reproducible files: `TAGSTREAM_CACHE`, or `tagstream` in the user's cache folder. Empty
 * variables are ignored, as is a relative `XDG_CACHE_HOME`, according to its specification.
 */
export function cacheDirectory(): string {
  const { TAGSTREAM_CACHE: own = '', XDG_CACHE_HOME: users = '' } = process.env;
  if (own !== '') return own;
  return join(isAbsolute(users) ? users : join(home(), '.cache'), 'tagstream');
}

/** Returns the home folder; containers may run programs as unknown users without one. */
function home(): string {
  try {
    const folder = os().homedir();
    if (isAbsolute(folder)) return folder;
  } catch {
    // Treated as missing.
  }
  return os().tmpdir();
}
