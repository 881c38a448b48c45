import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from './file-error.js';

/**
 * Returns the identity of a file, independent of its name: paths with the same identity lead to the same file, through
 * links of any kind. A missing file is identified by its name in its folder. Undefined for devices that may be shared,
 * such as terminals, `/dev/null` and sockets, for standard streams that are not files, and if the identity cannot be
 * determined.
 *
 * @param standard the open file that `-` refers to
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

/** Returns the identity of a missing file, based on the nearest existing folder. */
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

/** Maximum number of links that Linux follows in one path. */
const mostLinks = 40;

/**
 * Resolves all links of a path; missing parts keep their names, even behind a link.
 *
 * @throws a system error for existing parts that cannot be inspected, and for circular links
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
