import { lstatSync } from 'node:fs';

/**
 * The name of the file that was the newest `n` rotations ago; 0 is the file itself.
 *
 * @example
 * [0, 1, 2].map(n => rotationName('bad.ndjson', n)) // => ['bad.ndjson', 'bad.ndjson.1', 'bad.ndjson.2']
 */
export function rotationName(path: string, n: number): string {
  return n === 0 ? path : `${path}.${n}`;
}

/**
 * A file and what it was rotated to, the oldest first. The file is among them if there is none, so that
 * to open it says what is wrong.
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
