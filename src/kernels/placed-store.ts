import type { LinearMemory } from './linear-memory.js';
import { PairChains } from './pair-chains.js';
import { ParameterStore } from './parameter-store.js';
import type { StorePlaces } from './store-places.js';

/**
 * A store on the parameters of another thread, in the same shared memory: planes that it is asked for are
 * those of the other, in the order in which the other had them made. Neither may grow any more.
 *
 * @param transitions whether updates through this store may change the plain transitions
 */
export function placedStore(
  places: StorePlaces,
  memory: LinearMemory,
  transitions: boolean,
): ParameterStore {
  const pairs = new PairChains();
  pairs.restore(places.pairs);
  const layout = { ...places.layout, transitions: places.layout.transitions && transitions };
  const store = new ParameterStore(layout, places.labelCapacity, memory, pairs, places.planes);
  const { labels, stateRows, edgeRows } = places;
  store.reserve({ labels, stateRows, edgeRows });
  if (places.support !== undefined) {
    store.support!.restore(places.support.state, places.support.transitions);
  }
  store.scale = places.scale;
  return store;
}
