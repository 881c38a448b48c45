import type { Precision } from '../../core/reals.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import type { Plane, TablePlace } from '../memory/plane.js';
import { RealTable } from '../memory/real-table.js';
import { PairChains } from './pair-chains.js';
import { ParameterStore } from './parameter-store.js';
import type { StorePlaces } from './store-places.js';

/**
 * A store with the parameters of another thread, in the same shared memory: the very same numbers, or
 * (`copy`) numbers of its own that start as the other's. Planes that it is asked for are those of the
 * other, in the order in which the other had them made. Neither may grow any more.
 */
export function placedStore(
  places: StorePlaces,
  memory: LinearMemory,
  copy: boolean,
): ParameterStore {
  const pairs = new PairChains();
  pairs.restore(places.pairs);
  const { layout, labels, labelCapacity, stateRows, edgeRows } = places;
  const adopt = (plane: Plane, index: number) => {
    for (const name of ['state', 'edges', 'pairs'] as const) {
      const place = places.planes[index]?.[name];
      if (place === undefined) continue;
      if (copy) copyTable(plane[name], memory, place, layout.precision);
      else plane[name].place(place.offset, place.rows);
    }
  };
  const store = new ParameterStore(layout, labelCapacity, memory, pairs, adopt);
  const { statePairs } = places;
  if (statePairs !== undefined) store.statePairs!.restore(statePairs.starts, statePairs.labels);
  store.reserve({ labels, stateRows, edgeRows });
  if (places.support !== undefined) {
    store.support!.restore(places.support.state, places.support.transitions);
  }
  store.scale = places.scale;
  return store;
}

function copyTable(
  table: RealTable,
  memory: LinearMemory,
  { offset, rows }: TablePlace,
  precision: Precision | undefined,
): void {
  const source = new RealTable(memory, table.width, precision);
  source.place(offset, rows);
  table.reset(rows, table.width);
  table.view.set(source.view);
}
