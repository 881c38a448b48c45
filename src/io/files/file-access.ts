import { fchmodSync, fchownSync, openSync, type Stats } from 'node:fs';

/** Who may do what with a file. */
export type FileAccess = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/**
 * Opens a file for writing that will take the place of another, or become the next one after it, with the
 * permissions and, where the system allows it, the owner and group of the other. At no time can anybody read it who
 * could not read the other.
 *
 * @param flags as those of `openSync`
 * @param access of the other file; without it the file is made as the system makes new ones
 * @throws a system error if it cannot be opened
 */
export function openAs(path: string, flags: string, access: FileAccess | undefined): number {
  if (access === undefined) return openSync(path, flags);
  const file = openSync(path, flags, 0o600);
  fchmodSync(file, 0o600);
  fchmodSync(file, ownAs(file, access) ? access.mode & 0o777 : withoutGroup(access.mode));
  return file;
}

/** Whether the file has owner and group of the other now, or at least its group. */
function ownAs(file: number, { uid, gid }: FileAccess): boolean {
  for (const owner of [uid, -1]) {
    try {
      fchownSync(file, owner, gid);
      return true;
    } catch {
      // Only the superuser gives files away; to a group of one's own anybody may.
    }
  }
  return false;
}

/** What a group might do that is not the one of the file any more, is what all others may do. */
function withoutGroup(mode: number): number {
  const others = mode & 0o7;
  return (mode & 0o700) | (mode & 0o70 & (others << 3)) | others;
}
