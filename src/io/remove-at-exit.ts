import { rmSync } from 'node:fs';

const doomed = new Set<string>();

/**
 * Has a temporary file removed if the process exits before what is returned is called: where it is
 * ended in the middle, by `process.exit`. A process that is killed leaves the file.
 *
 * @example
 * const keep = removeAtExit('/tmp/half-written.tmp');
 * keep() // => undefined
 */
export function removeAtExit(path: string): () => void {
  if (doomed.size === 0) process.on('exit', removeAll);
  doomed.add(path);
  return () => {
    doomed.delete(path);
    if (doomed.size === 0) process.off('exit', removeAll);
  };
}

function removeAll(): void {
  for (const path of doomed) {
    try {
      rmSync(path, { force: true });
    } catch {
      // Nobody is left to be told.
    }
  }
}
