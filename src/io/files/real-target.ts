import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from './file-error.js';

/** As many links as Linux follows in one path. */
const mostLinks = 40;

/**
 * The path that a path leads to, with all links followed; what is not there yet keeps its name, also where a
 * link leads to it.
 *
 * @throws a system error for what is there but cannot be looked at, and for links in a circle
 * @example
 * realTarget('/dev/./none/here') // => '/dev/none/here'
 */
export function realTarget(path: string): string {
  return follow(resolve(path), mostLinks);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT' || links === 0) throw cause;
  }
  const here = join(follow(dirname(path), links), basename(path));
  const link = linkAt(here);
  return link === undefined ? here : follow(resolve(dirname(here), link), links - 1);
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
