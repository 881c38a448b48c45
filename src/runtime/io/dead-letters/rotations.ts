import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the name of the file `n` rotations ago; 0 is the file itself.
 *
 * @example
 * [0, 1, 2].map(n => rotationName('bad.ndjson', n)) // => ['bad.ndjson', 'bad.ndjson.1', 'bad.ndjson.2']
 */
export function rotationName(path: string, n: number): string {
  return n === 0 ? path : `${path}.${n}`;
}

/**
 * Returns a file and its rotated files, the oldest first. The file is included even if it is missing,
 * so that opening it reports the error.
 *
 * @example
 * withRotations('none.ndjson') // => ['none.ndjson']
 */
export function withRotations(path: string): string[] {
  const isThere = (n: number) =>
    lstatSync(rotationName(path, n), { throwIfNoEntry: false }) !== undefined;
  const found: string[] = [];
  for (let n = 1; isThere(n); n += 1) found.unshift(rotationName(path, n));
  return isThere(0) || found.length === 0 ? [...found, path] : found;
}

/**
 * Returns a file, its rotated files, and files rotated by other programs in the same folder, with a number or a date
 * after its name: `bad.ndjson-20260131`.
 *
 * @example
 * withAllRotations('none.ndjson') // => ['none.ndjson']
 */
export function withAllRotations(path: string): string[] {
  const own = withRotations(path);
  const folder = dirname(path);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return own;
  const stem = basename(path);
  const others = readdirSync(folder)
    .filter(name => name.startsWith(stem) && /^[.-]\d[\d-]*$/.test(name.slice(stem.length)))
    .map(name => join(folder, name));
  const known = new Set(own.map(name => join(dirname(name), basename(name))));
  return [...others.filter(name => !known.has(name)), ...own];
}

const LF = 10;

/**
 * Counts the lines of a file; an unfinished last one counts too.
 *
 * @throws a system error if it cannot be read
 * @example
 * countLines('/dev/null') // => 0
 */
export function countLines(path: string): number {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(65_536);
  let lines = 0;
  let last = LF;
  try {
    for (;;) {
      const size = readSync(file, chunk, 0, chunk.length, null);
      if (size === 0) return last === LF ? lines : lines + 1;
      for (let at = chunk.indexOf(LF); at >= 0 && at < size; at = chunk.indexOf(LF, at + 1)) {
        lines += 1;
      }
      last = chunk[size - 1]!;
    }
  } finally {
    closeSync(file);
  }
}
