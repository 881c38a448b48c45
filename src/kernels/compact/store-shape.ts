import type { PairChains } from '../pair-chains.js';
import type { ParameterLayout } from '../parameter-store.js';

/** Which parameters a store has, whatever their numbers. */
export interface StoreShape {
  readonly layout: ParameterLayout;
  readonly labels: number;
  /** Lanes in a row of `support`. */
  readonly width: number;
  readonly stateRows: number;
  readonly edgeRows: number;
  readonly pairs: PairChains;
  /** A byte for each pair and plain transition that may have a weight; absent where all may. */
  readonly support: { readonly state: Uint8Array; readonly transitions: Uint8Array } | undefined;
}
