import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from './file-error.js';

/**
 * What a file is, whatever its name: paths with the same identity lead to one file, through links of any kind. What
 * is not there yet is its name in the folder that it would be in. Undefined for what several may share, as terminals,
 * `/dev/null` and sockets, for standard streams that are not files, and where nothing can be found out.
 *
 * @param standard the open file that `-` means
 * @example
 * fileIdentity('/dev/./none') === fileIdentity('/dev/none') // => true
 * fileIdentity('/dev/null') // => undefined
 */
export function fileIdentity(path: string, standard: 0 | 1 = 0): string | undefined {
  try {
    if (path === '-') {
      const stat = fstatSync(standard, { bigint: true });
      return stat.isFile() ? numberOf(stat) : undefined;
    }
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined) return isShared(stat) ? undefined : numberOf(stat);
    return identityIn(realTarget(path));
  } catch {
    return undefined;
  }
}

/** Of what is not there, by the nearest folder that is. */
function identityIn(target: string): string {
  let folder = dirname(target);
  let name = basename(target);
  for (;;) {
    const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined) return `${numberOf(stat)}/${name}`;
    name = join(basename(folder), name);
    folder = dirname(folder);
  }
}

function isShared(stat: BigIntStats): boolean {
  return stat.isCharacterDevice() || stat.isSocket();
}

function numberOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

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
