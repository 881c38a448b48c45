import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';

/** The form of the name of an npm package. */
const packageName = /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/;

/**
 * The file of word vectors that a name stands for: a file, or the npm package of that name, as it is found from the working
 * directory.
 *
 * @throws TagstreamError `file` if there is neither
 * @example
 * vectorsFile('/dev/null') // => '/dev/null'
 */
export function vectorsFile(named: string): string {
  if (named === '-' || existsSync(named) || !packageName.test(named)) return named;
  try {
    return createRequire(resolve('noop.js')).resolve(named);
  } catch (cause) {
    throw new TagstreamError(
      'file',
      `there is no file ${named}, and no npm package of that name is installed here`,
      { fix: `correct the path, or install the package: npm install ${named}`, cause },
    );
  }
}
