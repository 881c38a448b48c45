import { basename, dirname, join } from 'node:path';

let count = 0;

/** A name beside `path` that no other open file of this or another process has. */
export function temporaryName(path: string): string {
  count += 1;
  return join(dirname(path), `.${basename(path)}.${process.pid}-${count}.tmp`);
}
