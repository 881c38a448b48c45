import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { nearest } from '../../core/wording/nearest.js';

/**
 * What to do about a path that leads nowhere: a folder that is not there, a text in the place of a name, a name that is
 * like that of a file beside it, or another model there.
 *
 * @example
 * missingPathFix('Ben flew to New York.') // => "check the path; a text goes to the standard input: echo 'TEXT' | tagstream ..."
 * missingPathFix('/no/such/folder/x') // => 'there is no folder /no/such/folder: make it first, or correct the path'
 */
export function missingPathFix(path: string): string {
  if (path === '') return 'name a file; the standard input is /dev/stdin';
  const [folder, name] = [dirname(path), basename(path)];
  if (/\S\s+\S+\s+\S/.test(path) && !path.includes('/')) {
    return "check the path; a text goes to the standard input: echo 'TEXT' | tagstream ...";
  }
  if (!existsSync(folder))
    return `there is no folder ${folder}: make it first, or correct the path`;
  const others = namesIn(folder).filter(other => other !== name);
  const like = name.length < 4 ? undefined : nearest(name, others);
  if (like !== undefined) return `did you mean ${like}?`;
  const models = name.endsWith('.model') ? others.filter(other => other.endsWith('.model')) : [];
  return models.length === 0
    ? 'check the path'
    : `check the path; models there: ${models.slice(0, 5).join(', ')}`;
}

/** No folder is too large to be read once, at an error that ends a command; one that cannot be read has no names. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
