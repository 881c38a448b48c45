import { createRequire } from 'node:module';
import { TagstreamError } from '../core/errors.js';
import { checkPlugin } from './check-plugin.js';
import type { Plugin } from './definitions.js';
import type { LoadedPlugin, PluginModule } from './loaded-plugin.js';
import { resolveModule } from './resolve-module.js';

/**
 * The plug-ins that are named, each once, in order, or given as they are.
 *
 * Modules are loaded at once, by `require`, which loads ES modules too: what needs a pipeline file need not wait.
 *
 * @param folder where paths start and packages are looked for
 * @throws TagstreamError `config` that names the plug-in and, where there is one, the component that is wrong
 */
export function loadPlugins(uses: readonly (string | Plugin)[], folder: string): LoadedPlugin[] {
  const loaded = new Map<unknown, LoadedPlugin>();
  for (const use of uses) {
    if (typeof use !== 'string') {
      loaded.set(use, checkPlugin(use));
      continue;
    }
    const file = resolveModule(use, folder);
    if (!loaded.has(file)) loaded.set(file, loadModule({ named: use, file }));
  }
  return [...loaded.values()];
}

/**
 * The plug-in in the file of a module, as threads load it again.
 *
 * @throws TagstreamError `config`
 */
export function loadModule(module: PluginModule): LoadedPlugin {
  const { named, file } = module;
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = createRequire(import.meta.url)(file);
  } catch (cause) {
    const waits = (cause as { code?: unknown }).code === 'ERR_REQUIRE_ASYNC_MODULE';
    const problem = waits ? 'it awaits something outside of functions' : String(cause);
    throw new TagstreamError('config', `the plug-in ${named} cannot be loaded: ${problem}`, {
      fix: waits ? 'move the await into a function' : fixOf(cause, file),
      cause,
    });
  }
  const plugin = exported.default ?? (Array.isArray(exported.components) ? exported : undefined);
  if (plugin === undefined) {
    throw new TagstreamError('config', `the plug-in ${named} has no default export`, {
      fix: `write export default definePlugin({ name, components: [...] }) in ${file}`,
    });
  }
  return checkPlugin(plugin, module);
}

function fixOf(cause: unknown, file: string): string {
  const missing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
  return missing
    ? 'install the package in the folder of the plug-in; tagstream from a checkout: npm link tagstream'
    : `correct ${file}`;
}
