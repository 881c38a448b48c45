import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';

/** Form of an npm package's name. */
const packageName = /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/;

/**
 * Returns the file of word vectors for a name: a file, or the npm package with that name, resolved from a folder.
 *
 * @param folder base of relative paths; default: the working directory
 * @throws TagstreamError `file` if there is neither
 * @example
 * vectorsFile('/dev/null') // => '/dev/null'
 */
export function vectorsFile(named: string, folder?: string): string {
  const path = folder === undefined || named === '-' ? named : resolve(folder, named);
  if (named === '-' || existsSync(path) || !packageName.test(named)) return path;
  try {
    return createRequire(join(resolve(folder ?? ''), 'noop.js')).resolve(named);
  } catch (cause) {
    throw new TagstreamError(
      'file',
      `there is no file ${path}, and no npm package of that name is installed here`,
      { fix: `correct the path, or install the package: npm install ${named}`, cause },
    );
  }
}
