import { TagstreamError } from '../../../engine/core/errors.js';
import type { LoadedPlugin, PluginModule } from '../../../engine/interfaces/loaded-plugin.js';

/**
 * Returns the modules from which other threads load a pipeline's plug-ins.
 *
 * @throws TagstreamError `config` if one of them was passed as code, without a module
 */
export function modulesForThreads(plugins: readonly LoadedPlugin[]): PluginModule[] {
  return plugins.map(({ name, module }) => {
    if (module !== undefined) return module;
    throw new TagstreamError('config', `several workers cannot use the plug-in ${name}`, {
      fix: 'name it by its package or file in use, so that workers can load it, or use workers: 1',
    });
  });
}
