import type { PluginParts } from '../../runtime/pipeline/plugins/plugin-parts.js';
import { type ArgumentsOf, texts } from './option-kinds.js';

export type UseArguments = ArgumentsOf<typeof useOption>;

export const useOption = {
  use: texts('a package or file with third-party components; may be repeated'),
} as const;

/** Returns plug-ins given as files, which are inputs of the command. */
export function filesUsed({ use = [] }: UseArguments): readonly string[] {
  return use.filter(name => /^[./]/.test(name));
}

/** Returns the named plug-ins; undefined if there are none, so that nothing is loaded for them. */
export async function pluginsOf({ use = [] }: UseArguments): Promise<PluginParts | undefined> {
  if (use.length === 0) return undefined;
  const [{ loadPlugins }, { pluginParts }] = await Promise.all([
    import('../../runtime/plugins/load-plugins.js'),
    import('../../runtime/pipeline/plugins/plugin-parts.js'),
  ]);
  return pluginParts(loadPlugins(use, process.cwd()));
}
