import { rmSync } from 'node:fs';
import { atExit } from './at-exit.js';

/**
 * Has a temporary file removed if the process ends before what is returned is called: by `process.exit`, or by a
 * signal that nobody else minds. A process that is killed leaves the file.
 *
 * @example
 * const keep = removeAtExit('/tmp/half-written.tmp');
 * keep() // => undefined
 */
export function removeAtExit(path: string): () => void {
  return atExit(() => rmSync(path, { force: true }));
}
