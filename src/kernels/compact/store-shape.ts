import type { PairChains } from '../store/pair-chains.js';
import type { ParameterLayout } from '../store/parameter-store.js';
import type { SupportedPairs } from '../store/supported-pairs.js';

/** Which parameters a store has, whatever their numbers. */
export interface StoreShape extends SupportedPairs {
  readonly layout: ParameterLayout;
  readonly edgeRows: number;
  readonly pairs: PairChains;
}
