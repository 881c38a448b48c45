import { closeSync, openSync, readSync } from 'node:fs';

const LF = 10;

/**
 * The number of lines of a file; a last one without an end counts too.
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
