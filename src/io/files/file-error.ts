import { TagstreamError } from '../../core/errors.js';
import { missingPathFix } from './missing-path.js';

const explanations: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  ENOENT: ['no such file or directory', 'check the path'],
  ENOTDIR: ['a part of the path is not a directory', 'check the path'],
  EISDIR: ['it is a directory', 'name a file'],
  EACCES: ['permission denied', 'check the permissions of the file and its directory'],
  EPERM: ['not permitted', 'check the permissions of the file and its directory'],
  EROFS: ['the file system is read-only', 'write to another place'],
  ENOSPC: ['no space is left on the device', 'free some space, or write to another place'],
  EDQUOT: ['the disk quota is used up', 'free some space, or write to another place'],
  ENXIO: ['it is a socket, or a device that is not there', 'name a file or a pipe'],
  EMFILE: ['too many files are open', 'raise the limit of open files'],
};

/**
 * An error of the file system as a TagstreamError `file` that names the path and the likely fix.
 *
 * @example
 * const cause = Object.assign(new Error('x'), { code: 'EISDIR' });
 * fileError('read', 'a', cause).message // => 'cannot read a: it is a directory (name a file)'
 */
export function fileError(action: string, path: string, cause: unknown): TagstreamError {
  if (cause instanceof TagstreamError) return cause;
  const code = errnoOf(cause);
  const known = code === undefined ? undefined : explanations[code];
  const reason = known?.[0] ?? (cause instanceof Error ? cause.message : String(cause));
  return new TagstreamError('file', `cannot ${action} ${path}: ${reason}`, {
    ...(known === undefined ? {} : { fix: code === 'ENOENT' ? missingPathFix(path) : known[1] }),
    cause,
  });
}

/** The code of a system error, such as `ENOENT`; undefined for every other error. */
export function errnoOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
