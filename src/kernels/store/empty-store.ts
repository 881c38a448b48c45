import { PairChains } from './pair-chains.js';
import { ParameterStore } from './parameter-store.js';
import type { StorePlaces } from './store-places.js';

/** A store of its own for as many parameters as another has, all of them 0. */
export function emptyStore(shape: Omit<StorePlaces, 'planes'>): ParameterStore {
  const { layout, labels, labelCapacity, stateRows, edgeRows, support, statePairs } = shape;
  const pairs = new PairChains();
  pairs.restore(shape.pairs);
  const store = new ParameterStore(layout, labelCapacity, undefined, pairs);
  if (statePairs !== undefined) store.statePairs!.restore(statePairs.starts, statePairs.labels);
  store.reserve({ labels, stateRows, edgeRows });
  if (support !== undefined) store.support!.restore(support.state, support.transitions);
  return store;
}
