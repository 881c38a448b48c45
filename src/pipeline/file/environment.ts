import type { TagstreamError } from '../../core/errors.js';
import type { Path } from './yaml-document.js';

const reference = /\$\{([A-Za-z_]\w*)(?::([-?])([^}]*))?\}/g;

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${VAR:?message}` in all strings of a parsed file; keys and
 * structure stay as they are, so that a variable cannot change what the file says otherwise.
 *
 * @throws TagstreamError `config` where a variable without default is not set
 */
export function substituteEnvironment(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  fail: (path: Path, problem: string, fix: string) => TagstreamError,
  path: Path = [],
): unknown {
  if (typeof value === 'string') {
    return value.replace(reference, (_, name: string, kind?: string, text?: string) => {
      const found = environment[name];
      if (found !== undefined && found !== '') return found;
      if (kind === '-') return text ?? '';
      const problem = `the environment variable ${name} is not set`;
      throw fail(path, kind === '?' && text ? `${problem}: ${text}` : problem, `set ${name}`);
    });
  }
  if (Array.isArray(value)) {
    return value.map((item, i) => substituteEnvironment(item, environment, fail, [...path, i]));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      substituteEnvironment(item, environment, fail, [...path, key]),
    ]),
  );
}
