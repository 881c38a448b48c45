import { logLoss } from '../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../src/engine/losses/loss.js';
import type { OptimizerComponent } from '../../../src/engine/optimizers/optimizer.js';
import { loadPlugins } from '../../../src/runtime/plugins/load-plugins.js';
import type { OptimizerRow } from '../../contracts/optimizer-rows.js';
import { itsPackage } from './installed.js';

const [plugin] = loadPlugins([itsPackage], import.meta.dirname);

/** The losses of the plug-in, as a pipeline would make them: the contracts hold for them too. */
export function pluginLosses(): Loss[] {
  return plugin!.losses.map(({ options, create }) =>
    create((options as { parse(value: object): never }).parse({}), { outside: () => -1 }),
  );
}

export function pluginOptimizers(): readonly OptimizerComponent<never>[] {
  return plugin!.optimizers;
}

/** Its optimizer among those that the contract is checked for. */
export const pluginRow: OptimizerRow = {
  name: 'steps',
  variant: 'of a plug-in',
  loss: logLoss,
  options: {},
  timeless: {},
  penalty: () => 0,
};
