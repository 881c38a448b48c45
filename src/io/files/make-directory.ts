import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing, one by one: the recursive form of Node 20 never
 * returns where the system refuses a directory as if its parent were missing, as below /proc.
 *
 * @param mode permissions of those that are made
 * @throws the system's error for the first that cannot be made
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
      // Another process may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
