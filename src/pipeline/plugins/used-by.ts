import type { Checker } from '../file/check.js';

/**
 * What a pipeline file says under `use`, which is needed before the rest of it can be checked.
 *
 * @throws TagstreamError `config` at the place of what is not a list of names
 */
export function usedBy(file: unknown, checker: Checker): readonly string[] {
  const { use = [] } = (typeof file === 'object' && file !== null ? file : {}) as { use?: unknown };
  const isList = Array.isArray(use) && use.every(name => typeof name === 'string' && name !== '');
  if (isList) return use as readonly string[];
  throw checker.fail(['use'], 'a list of packages and files is expected', 'use: [./mine.mjs]');
}
