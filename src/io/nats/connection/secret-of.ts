import { TagstreamError } from '../../../core/errors.js';
import { keepSecret } from '../../../core/secrets.js';
import { readNamedFile } from './read-named-file.js';
import type { Secret } from './server-options.js';

/**
 * A secret, read from where it stands.
 *
 * @param path from the folder of the pipeline file
 * @throws TagstreamError `config` that names the place, never the secret
 */
export function secretOf(secret: Secret, what: string, path: (file: string) => string): string {
  const value =
    'file' in secret
      ? readNamedFile(path(secret.file), `the ${what}`)
      : process.env[secret.variable];
  const found = value?.trim();
  if (found !== undefined && found !== '') {
    keepSecret(found);
    return found;
  }
  const place = 'file' in secret ? `the file ${secret.file}` : `the variable ${secret.variable}`;
  throw new TagstreamError('config', `${place} has no ${what}`, {
    fix: 'file' in secret ? 'put the secret into its first line' : 'set it before the run starts',
  });
}
