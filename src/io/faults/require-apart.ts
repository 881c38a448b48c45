import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';

/**
 * Makes sure that none of the files that are read is among those that are written.
 *
 * Files are told by what they are, not by their names: links make no difference.
 *
 * @param what names what is written, for the error
 * @throws TagstreamError `usage` that names the file
 * @example
 * requireApart(['bad.ndjson.1', 'bad.ndjson'], ['again.ndjson'], 'the dead letters');
 * let problem;
 * try { requireApart(['./bad.ndjson'], ['bad.ndjson'], 'the dead letters'); } catch (error) { problem = error.problem; }
 * problem // => 'the dead letters would be written to bad.ndjson, which is being replayed'
 */
export function requireApart(
  read: readonly string[],
  written: readonly string[],
  what: string,
): void {
  const identities = new Set(read.map(identity));
  const shared = written.find(path => identities.has(identity(path)));
  if (shared === undefined) return;
  throw new TagstreamError(
    'usage',
    `${what} would be written to ${shared}, which is being replayed`,
    { fix: 'name another file' },
  );
}

function identity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined) return `${stat.dev}:${stat.ino}`;
  const folder = resolve(dirname(path));
  try {
    return join(realpathSync(folder), basename(path));
  } catch {
    return join(folder, basename(path));
  }
}
