import type { PairChains } from '../pair-chains.js';
import type { ParameterLayout } from '../parameter-store.js';
import type { SupportedPairs } from './supported-pairs.js';

/** Which parameters a store has, whatever their numbers. */
export interface StoreShape extends SupportedPairs {
  readonly layout: ParameterLayout;
  readonly edgeRows: number;
  readonly pairs: PairChains;
}
