import { statSync } from 'node:fs';
import type { Input } from '../reading/open-input.js';

/**
 * Bytes that are still to be read: what is left of the open input, and the files after it. Undefined if
 * any of them is no file, as the end of a pipe is not known.
 *
 * One system call a file.
 *
 * @example
 * sourceLag(undefined, ['-']) // => undefined
 * sourceLag({ left: () => 7 }, []) // => 7
 */
export function sourceLag(
  open: Pick<Input, 'left'> | undefined,
  ahead: readonly string[],
): number | undefined {
  let bytes = open === undefined ? 0 : open.left();
  for (const path of ahead) {
    const stats = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
    if (bytes === undefined || stats?.isFile() !== true) return undefined;
    bytes += stats.size;
  }
  return bytes;
}
