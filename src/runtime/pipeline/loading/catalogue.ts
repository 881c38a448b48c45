import type { LoadedPlugin } from '../../../engine/interfaces/loaded-plugin.js';
import { builtInComponents, type Components, componentsOf } from '../catalogue/components.js';
import type { StageComponent } from '../definition/stage-component.js';
import { stageOfPlugin } from '../stages/added.js';
import { stages, stagesOf } from '../stages/stages.js';

/** Everything that a pipeline file can name. */
export interface Catalogue extends Components {
  readonly stages: readonly StageComponent[];
}

/** The catalogue without plug-ins. */
export const builtIn: Catalogue = { ...builtInComponents, stages };

/**
 * Returns the components of Tagstream and of some plug-ins, with the stages that name them.
 *
 * @throws TagstreamError like `componentsOf`
 */
export function catalogueOf(plugins: readonly LoadedPlugin[]): Catalogue {
  if (plugins.length === 0) return builtIn;
  const components = componentsOf(
    plugins,
    stages.map(({ name }) => name),
  );
  const { losses, optimizers, trainers, sources, transports } = components;
  const known = { losses: losses.items, optimizers: optimizers.items, sources: sources.items };
  const own = stagesOf({
    ...{ ...known, inputs: known.sources, trainers },
    transports: transports.items,
  });
  return { ...components, stages: [...own, ...components.added.map(stageOfPlugin)] };
}
