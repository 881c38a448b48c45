import { isAbsolute, join } from 'node:path';
import { os } from './node-parts.js';

/**
 * The folder of what can be had again: `TAGSTREAM_CACHE`, or `tagstream` where the user's programs keep such files. Variables
 * that are empty say nothing, nor does a relative `XDG_CACHE_HOME`, as its specification has it.
 */
export function cacheDirectory(): string {
  const { TAGSTREAM_CACHE: own = '', XDG_CACHE_HOME: users = '' } = process.env;
  if (own !== '') return own;
  return join(isAbsolute(users) ? users : join(home(), '.cache'), 'tagstream');
}

/** Where containers run programs for users that they do not know, there is none. */
function home(): string {
  try {
    const folder = os().homedir();
    if (isAbsolute(folder)) return folder;
  } catch {
    // As if it were empty.
  }
  return os().tmpdir();
}
