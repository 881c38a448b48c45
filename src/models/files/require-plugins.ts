import { TagstreamError } from '../../core/errors.js';
import type { TokenFunctions } from '../../features/template/token-function.js';
import type { UsedPlugin } from '../model-spec.js';

/**
 * Finds out whether all token functions of a model are there, before its templates are read.
 *
 * @param source name of the model's file, for errors
 * @throws TagstreamError `config` that names the plug-in that is missing
 */
export function requirePlugins(
  uses: readonly UsedPlugin[] | undefined,
  functions: TokenFunctions,
  source: string,
): void {
  for (const { plugin, module, functions: names } of uses ?? []) {
    const missing = names.filter(name => !functions.has(name));
    if (missing.length === 0) continue;
    const shown = missing.map(name => `%${name}`).join(', ');
    throw new TagstreamError('config', `the model needs ${shown} of the plug-in ${plugin}`, {
      place: { source },
      fix: `give the plug-in: --use ${module ?? plugin}, or use: [...] in code and pipeline files`,
    });
  }
}
