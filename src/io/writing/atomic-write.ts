import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileError } from '../files/file-error.js';
import { refusePipe } from '../files/refuse-pipe.js';
import { syncDirectory } from '../files/sync-directory.js';
import { temporaryName } from '../files/temporary-name.js';
import { writeDurably } from './write-durably.js';
import { writeTarget } from './write-target.js';

/**
 * Writes a whole file so that, whenever the process or the machine stops, there is the old content or
 * the new one: a temporary file beside it is written, flushed and renamed, and the directory flushed. The new
 * file has the permissions of the old one, and its owner where the system allows it.
 *
 * @param check looks at the temporary file before it is renamed; if it throws, the old content stays. Pipes, devices and
 *   open files are written directly, and have nothing to look at
 * @throws TagstreamError `file` if it cannot be written, as a pipe; the old content is untouched then
 * @example
 * atomicWrite('/dev/null', 'a device is written directly') // => undefined
 */
export function atomicWrite(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  check?: (file: string) => void,
): void {
  let temporary: string | undefined;
  try {
    refusePipe('write', path, 'name a plain file: it is replaced as a whole');
    const target = writeTarget(path);
    temporary = target.replaceable ? temporaryName(target.path) : undefined;
    const whole = typeof content === 'string' || content instanceof Uint8Array;
    writeDurably(temporary ?? target.path, whole ? [content] : content, target);
    if (temporary === undefined) return;
    check?.(temporary);
    renameSync(temporary, target.path);
    syncDirectory(dirname(target.path));
  } catch (cause) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw fileError('write', path, cause);
  }
}
