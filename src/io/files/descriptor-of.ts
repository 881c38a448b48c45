import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** As many links as Linux follows in one path. */
const mostLinks = 40;

/**
 * The number of the open file of this process that a path stands for, as `/dev/stdout`, `/dev/fd/63` (what a
 * shell makes of `>(command)`) and `/proc/self/fd/3` do; undefined for every other path.
 *
 * @example
 * [descriptorOf('/dev/fd/2'), descriptorOf('/dev/null')] // => [2, undefined]
 */
export function descriptorOf(path: string): number | undefined {
  let at = resolve(path);
  for (let links = 0; links < mostLinks; links += 1) {
    if (/^\d+$/.test(basename(at)) && isDescriptorFolder(dirname(at))) return Number(basename(at));
    try {
      at = resolve(dirname(at), readlinkSync(at));
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function isDescriptorFolder(folder: string): boolean {
  if (folder === '/dev/fd') return true;
  try {
    return realpathSync(folder) === realpathSync('/proc/self/fd');
  } catch {
    return false;
  }
}
