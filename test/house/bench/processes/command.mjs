import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * The command line that runs the built `tagstream` with some arguments.
 *
 * @param {...string} given
 * @returns {string[]}
 */
export function command(...given) {
  return [process.execPath, join(root, 'dist/cli/main.js'), ...given];
}
