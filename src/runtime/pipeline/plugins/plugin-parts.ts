import type { Registry } from '../../../engine/core/registry.js';
import type { TokenFunctions } from '../../../engine/features/template/token-function.js';
import type { LoadedPlugin, PluginModule } from '../../../engine/interfaces/loaded-plugin.js';
import { loadModule } from '../../plugins/load-plugins.js';
import { componentsOf } from '../catalogue/components.js';
import type { SourceComponent } from '../sources/source-component.js';

/** The parts of plug-ins that tagging needs. */
export interface PluginParts {
  /** All codecs, including those of Tagstream. */
  readonly sources: Registry<SourceComponent>;
  readonly functions: TokenFunctions;
  /** The modules from which other threads load the plug-ins. */
  readonly modules: readonly PluginModule[];
}

/** @throws TagstreamError `config` if two components of a kind have the same name */
export function pluginParts(plugins: readonly LoadedPlugin[]): PluginParts {
  const { sources, functions } = componentsOf(plugins);
  return {
    ...{ sources, functions },
    modules: plugins.flatMap(({ module }) => (module === undefined ? [] : [module])),
  };
}

/** Returns the parts in a thread that received only the modules. */
export function partsOfModules(modules: readonly PluginModule[]): PluginParts {
  return pluginParts(modules.map(loadModule));
}
