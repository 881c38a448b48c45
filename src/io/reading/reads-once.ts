import { statSync } from 'node:fs';

/**
 * Whether a source can be read only once: the standard input, a pipe, a socket, a device. What is not there
 * is none of these. Opens nothing.
 *
 * @param source a path, `-`, or the name of a source in positions
 * @example
 * [readsOnce('-'), readsOnce('<stdin>'), readsOnce('/dev/null'), readsOnce('/no/file')] // => [true, true, true, false]
 */
export function readsOnce(source: string): boolean {
  if (source === '-' || source === '<stdin>') return true;
  try {
    const stats = statSync(source);
    return !stats.isFile() && !stats.isDirectory();
  } catch {
    return false;
  }
}
