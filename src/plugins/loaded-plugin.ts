import type { TokenFunctionComponent } from '../features/template/token-function.js';
import type { LossComponent } from '../losses/loss-component.js';
import type { OptimizerComponent } from '../optimizers/optimizer.js';
import type { CodecComponent } from './codec-component.js';
import type { TransportComponent } from './transport-component.js';

/** Where a plug-in was loaded from. */
export interface PluginModule {
  /** The package or file as it was named. */
  readonly named: string;
  /** The file itself, which threads load too. */
  readonly file: string;
}

/** A plug-in that was checked: its components by kind, as those of Tagstream are. */
export interface LoadedPlugin {
  readonly name: string;
  /** Absent where code gave the plug-in itself. */
  readonly module?: PluginModule | undefined;
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
  readonly codecs: readonly CodecComponent[];
  readonly transports: readonly TransportComponent[];
  readonly functions: readonly TokenFunctionComponent[];
}
