import { Registry } from '../../engine/core/registry.js';
import { kinds, requireArgument } from '../../engine/core/schema/require-argument.js';
import { builtInMacros } from '../../engine/features/template/parse-macro.js';
import type {
  TokenFunctionComponent,
  TokenFunctions,
} from '../../engine/features/template/token-function.js';
import type { Plugin } from '../../engine/interfaces/definitions.js';
import { checkPlugin } from './check-plugin.js';

/**
 * Returns the token functions of plug-ins, for models that were trained with them. Pass them to `readModel`, `loadTagger` or
 * `createModel`.
 *
 * @throws TagstreamError `config` if a plug-in is invalid, or two functions have the same name
 * @example
 * const kind = defineTokenFunction({
 *   name: 'digits',
 *   summary: 'the digits of a token',
 *   create: () => token => token.replace(/[^0-9]/g, ''),
 * });
 * const functions = tokenFunctionsOf([definePlugin({ name: 'numbers', components: [kind] })]);
 * const model = createModel({ templates: 'U:%digits[0,0]', functions });
 * model.encode({ tokens: ['4x2', '42'], columns: {}, tags: ['A', 'B'] }).length // => 2
 * model.stateIndex.size // => 1
 */
export function tokenFunctionsOf(plugins: readonly Plugin[]): TokenFunctions {
  requireArgument('tokenFunctionsOf: the plug-ins', plugins, kinds.list);
  const taken = new Map(builtInMacros.map(name => [name, 'Tagstream']));
  let functions = new Registry<TokenFunctionComponent>('token function', []);
  for (const plugin of plugins) {
    const { name, functions: own } = checkPlugin(plugin);
    functions = functions.with(own, `the plug-in ${name}`, taken);
  }
  return new Map(functions.items.map(each => [each.name, each]));
}
