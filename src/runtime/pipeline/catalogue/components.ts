import { Registry } from '../../../engine/core/registry.js';
import { builtInMacros } from '../../../engine/features/template/parse-macro.js';
import type {
  TokenFunctionComponent,
  TokenFunctions,
} from '../../../engine/features/template/token-function.js';
import type {
  LoadedPlugin,
  PluginStage,
  TransportComponent,
} from '../../../engine/interfaces/loaded-plugin.js';
import { type LossComponent, lossComponents } from '../../../engine/losses/loss-components.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { natsTransport } from '../../../nats/nats-transport.js';
import { pluginSource, withTransports } from '../sources/plugin-source.js';
import type { SourceComponent } from '../sources/source-component.js';
import { sourceRegistry } from './sources.js';
import { trainers, trainersOf } from './trainers.js';

/** Every transport that a pipeline file can name without plug-ins; `files` names files. */
const transports: readonly TransportComponent[] = [natsTransport];

/** The components of Tagstream and of the plug-ins that a pipeline uses. */
export interface Components {
  readonly plugins: readonly LoadedPlugin[];
  readonly losses: Registry<LossComponent<never>>;
  readonly optimizers: Registry<OptimizerComponent<never>>;
  readonly trainers: readonly TrainerComponent<never>[];
  readonly sources: Registry<SourceComponent>;
  /** Transports of plug-ins; files and the standard input are always available. */
  readonly transports: Registry<TransportComponent>;
  /** Stages of plug-ins. */
  readonly added: readonly PluginStage[];
  /** Token functions in addition to the built-in ones. */
  readonly functions: TokenFunctions;
}

/** The components of Tagstream alone. */
export const builtInComponents: Components = {
  plugins: [],
  losses: new Registry('loss', lossComponents),
  optimizers: new Registry('optimizer', optimizers),
  trainers,
  sources: sourceRegistry.map(source => withTransports(source, transports)),
  transports: new Registry('transport', transports),
  functions: new Map(),
  added: [],
};

/**
 * Returns the components of Tagstream and of some plug-ins.
 *
 * @param stageNames names of the stages of Tagstream
 * @throws TagstreamError `config`, naming both owners, if two components of a kind have the same name
 */
export function componentsOf(
  plugins: readonly LoadedPlugin[],
  stageNames: readonly string[] = [],
): Components {
  if (plugins.length === 0) return builtInComponents;
  let { losses, optimizers, transports: ways } = builtInComponents;
  let sources = sourceRegistry;
  let stages = new Registry<PluginStage>('stage', []);
  let functions = new Registry<TokenFunctionComponent>('token function', []);
  const ours = (names: readonly string[]) => new Map(names.map(name => [name, 'Tagstream']));
  const batch = ours(trainers.map(({ name }) => name));
  const macros = ours(builtInMacros);
  const own = ours(stageNames);
  const names = new Set<string>();
  for (const plugin of plugins) {
    const owner = ownerOf(plugin, names);
    losses = losses.with(plugin.losses, owner);
    optimizers = optimizers.with(plugin.optimizers, owner, batch);
    sources = sources.with(plugin.codecs.map(pluginSource), owner);
    ways = ways.with(plugin.transports, owner);
    stages = stages.with(plugin.stages, owner, own);
    functions = functions.with(plugin.functions, owner, macros);
  }
  return {
    ...{ plugins, losses, optimizers, transports: ways },
    sources: sources.map(source => withTransports(source, ways.items)),
    trainers: trainersOf(optimizers.items),
    added: stages.items,
    functions: new Map(functions.items.map(each => [each.name, each])),
  };
}

/** Returns the name of a plug-in for errors; two plug-ins with the same name are also named by their modules. */
function ownerOf({ name, module }: LoadedPlugin, names: Set<string>): string {
  const known = names.has(name);
  names.add(name);
  return known && module !== undefined
    ? `the plug-in ${name} of ${module.named}`
    : `the plug-in ${name}`;
}
