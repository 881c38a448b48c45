import { statSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';

/**
 * Refuses a pipe or a socket where there has to be a file: to open it would wait for its other end.
 *
 * @param fix what to do instead
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
