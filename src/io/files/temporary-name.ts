import { basename, dirname, join } from 'node:path';

let count = 0;

/** Processes of several containers may have the same number. */
const ours = Math.random().toString(36).slice(2, 8);

/** A name beside `path` that no other open file of this or another process has. */
export function temporaryName(path: string): string {
  count += 1;
  return join(dirname(path), `.${basename(path)}.${process.pid}-${ours}-${count}.tmp`);
}
