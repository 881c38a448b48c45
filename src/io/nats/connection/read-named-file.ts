import { readFileSync } from 'node:fs';
import { TagstreamError } from '../../../core/errors.js';

/**
 * The text of a file that options name.
 *
 * @param what it holds, for the error, as in `the password`
 * @throws TagstreamError `config` that names the file, and nothing of what is in it
 */
export function readNamedFile(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TagstreamError('config', `${what} cannot be read: ${(cause as Error).message}`, {
      place: { source: file },
      fix: 'check the path, and who may read the file',
    });
  }
}
