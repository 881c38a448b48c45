import {
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** Permissions of a file. */
export type FileAccess = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/**
 * Opens a file for writing that will replace or follow another file, with the same permissions and, if the system
 * allows it, the same owner and group. It is never readable by users who could not read the other file.
 *
 * @param flags as for `openSync`
 * @param access access of the other file; if absent, the system's defaults apply
 * @throws a system error if the file cannot be opened
 */
export function openAs(path: string, flags: string, access: FileAccess | undefined): number {
  if (access === undefined) return openSync(path, flags);
  const file = openSync(path, flags, 0o600);
  fchmodSync(file, 0o600);
  fchmodSync(file, ownAs(file, access) ? access.mode & 0o777 : withoutGroup(access.mode));
  return file;
}

/** Sets the owner and group of the other file, or at least its group; returns whether that succeeded. */
function ownAs(file: number, { uid, gid }: FileAccess): boolean {
  for (const owner of [uid, -1]) {
    try {
      fchownSync(file, owner, gid);
      return true;
    } catch {
      // Only the superuser can give files away; other users can set a group of their own.
    }
  }
  return false;
}

/** Returns the mode without the group's permissions that others lack. */
function withoutGroup(mode: number): number {
  const others = mode & 0o7;
  return (mode & 0o700) | (mode & 0o70 & (others << 3)) | others;
}

/** Maximum number of links that Linux follows in one path. */
const mostLinks = 40;

/**
 * Returns the file descriptor of this process that a path refers to, such as `/dev/stdout`, `/dev/fd/63` (a shell's
 * substitute for `>(command)`) and `/proc/self/fd/3`; undefined for all other paths.
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

/**
 * Checks whether an open file is still at its path: other programs may move growing files away, delete them, or copy
 * and truncate them, as `logrotate` does.
 *
 * @param file the open file
 * @returns the current size of the file, smaller than the bytes written if it was truncated; undefined if the path
 *   now has another file or none
 * @throws a system error
 * @example
 * followFile(2, 'no/such/file') // => undefined
 */
export function followFile(file: number, path: string): number | undefined {
  const own = fstatSync(file, { bigint: true });
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  return there?.ino === own.ino && there.dev === own.dev ? Number(own.size) : undefined;
}
