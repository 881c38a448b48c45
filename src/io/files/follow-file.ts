import { fstatSync, statSync } from 'node:fs';

/**
 * Looks whether an open file still is the one at its path: other programs move files away while they grow, delete them,
 * or copy and truncate them, as `logrotate` does.
 *
 * @param file that is open
 * @returns the size of the file now, which is less than was written where it was truncated; undefined where another
 *   file, or none, is at the path
 * @throws a system error
 * @example
 * followFile(2, 'no/such/file') // => undefined
 */
export function followFile(file: number, path: string): number | undefined {
  const own = fstatSync(file, { bigint: true });
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  return there?.ino === own.ino && there.dev === own.dev ? Number(own.size) : undefined;
}
