import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { TagstreamError, thrownMessage } from '../../engine/core/errors.js';
import { nearest } from '../../engine/core/wording/nearest.js';

const explanations: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  ENOENT: ['no such file or directory', 'check the path'],
  ENOTDIR: ['part of the path is not a directory', 'check the path'],
  EISDIR: ['it is a directory', 'name a file'],
  EACCES: ['permission denied', 'check the permissions of the file and its directory'],
  EPERM: ['not permitted', 'check the permissions of the file and its directory'],
  EROFS: ['the file system is read-only', 'write somewhere else'],
  ENOSPC: ['no space is left on the device', 'free some space, or write somewhere else'],
  EDQUOT: ['the disk quota is exhausted', 'free some space, or write somewhere else'],
  ENXIO: ['it is a socket or a missing device', 'name a file or a pipe'],
  EMFILE: ['too many open files', 'raise the limit on open files'],
};

/**
 * Converts a file system error to a TagstreamError `file` that names the path and the likely fix.
 *
 * @example
 * const cause = Object.assign(new Error('x'), { code: 'EISDIR' });
 * fileError('read', 'a', cause).message // => 'cannot read a: it is a directory (name a file)'
 */
export function fileError(action: string, path: string, cause: unknown): TagstreamError {
  if (cause instanceof TagstreamError) return cause;
  const code = errnoOf(cause);
  const known = code === undefined ? undefined : explanations[code];
  const reason = known?.[0] ?? thrownMessage(cause);
  return new TagstreamError('file', `cannot ${action} ${path}: ${reason}`, {
    ...(known === undefined ? {} : { fix: code === 'ENOENT' ? missingPathFix(path) : known[1] }),
    cause,
  });
}

/** Returns the code of a system error, such as `ENOENT`; undefined for other errors. */
export function errnoOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/**
 * Returns the fix for a missing path: a missing folder, a text instead of a name, a neighbouring file with a similar
 * name, or another model in the folder.
 *
 * @example
 * missingPathFix('Ben flew to New York.') // => "check the path; to tag a text, send it to standard input: echo 'TEXT' | tagstream ..."
 * missingPathFix('/no/such/folder/x') // => 'the folder /no/such/folder does not exist: create it, or correct the path'
 */
export function missingPathFix(path: string): string {
  if (path === '') return 'name a file; standard input is /dev/stdin';
  const [folder, name] = [dirname(path), basename(path)];
  if (/\S\s+\S+\s+\S/.test(path) && !path.includes('/')) {
    return "check the path; to tag a text, send it to standard input: echo 'TEXT' | tagstream ...";
  }
  if (!existsSync(folder))
    return `the folder ${folder} does not exist: create it, or correct the path`;
  const others = namesIn(folder).filter(other => other !== name);
  const like = name.length < 4 ? undefined : nearest(name, others);
  if (like !== undefined) return `did you mean ${like}?`;
  const models = name.endsWith('.model') ? others.filter(other => other.endsWith('.model')) : [];
  return models.length === 0
    ? 'check the path'
    : `check the path; models in that folder: ${models.slice(0, 5).join(', ')}`;
}

/**
 * Returns the names in a folder; none if it is unreadable. One read of any folder is affordable for an error that ends
 * a command.
 */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/**
 * Rejects a pipe or a socket where a file is required: opening it would wait for its other end.
 *
 * @param fix the alternative to suggest
 * @throws TagstreamError `file`
 * @example
 * refusePipe('write', '/dev/null', 'name a file') // => undefined
 */
export function refusePipe(action: string, path: string, fix: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !(stats.isFIFO() || stats.isSocket())) return;
  const what = stats.isFIFO() ? 'pipe' : 'socket';
  throw new TagstreamError('file', `cannot ${action} ${path}: it is a ${what}`, { fix });
}
