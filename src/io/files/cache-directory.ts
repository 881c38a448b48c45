import { join } from 'node:path';
import { os } from './node-parts.js';

/** The folder of what can be had again: `TAGSTREAM_CACHE`, or `tagstream` where the user's programs keep such files. */
export function cacheDirectory(): string {
  const { TAGSTREAM_CACHE: own, XDG_CACHE_HOME: users } = process.env;
  return own ?? join(users ?? join(home(), '.cache'), 'tagstream');
}

/** Where containers run programs for users that they do not know, there is none. */
function home(): string {
  try {
    return os().homedir();
  } catch {
    return os().tmpdir();
  }
}
