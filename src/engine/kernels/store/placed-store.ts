import type { Precision } from '../../core/arrays.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import type { Plane, PlanePlaces, TablePlace } from '../memory/plane.js';
import { RealTable } from '../memory/real-table.js';
import { PairChains } from './pair-chains.js';
import { type ParameterLayout, ParameterStore } from './parameter-store.js';

/**
 * Everything another thread needs to work on parameters in shared memory; can be sent to a thread.
 */
export interface StorePlaces {
  readonly layout: ParameterLayout;
  readonly labels: number;
  readonly labelCapacity: number;
  readonly stateRows: number;
  readonly edgeRows: number;
  readonly scale: number;
  readonly planes: readonly PlanePlaces[];
  readonly pairs: {
    readonly heads: Int32Array;
    readonly from: Uint32Array;
    readonly to: Uint32Array;
    readonly next: Int32Array;
  };
  readonly support: { readonly state: Uint8Array; readonly transitions: Uint8Array } | undefined;
  readonly statePairs: { readonly starts: Uint32Array; readonly labels: Uint16Array } | undefined;
}

/** Returns the places of a store that no longer grows. */
export function placesOf(store: ParameterStore): StorePlaces {
  return { ...shapeOf(store), planes: store.planes.map(placesOfPlane) };
}

/** Returns the places of a store without its planes. */
export function shapeOf(store: ParameterStore): Omit<StorePlaces, 'planes'> {
  const { layout, labels, labelCapacity, stateRows, edgeRows, scale, pairs, support } = store;
  const { statePairs } = store;
  return {
    layout,
    ...{ labels, labelCapacity, stateRows, edgeRows, scale },
    pairs: {
      heads: pairs.heads,
      from: pairs.from.subarray(0, pairs.size),
      to: pairs.to.subarray(0, pairs.size),
      next: pairs.next.subarray(0, pairs.size),
    },
    support:
      support === undefined
        ? undefined
        : { state: support.state, transitions: support.transitions },
    statePairs:
      statePairs === undefined
        ? undefined
        : { starts: statePairs.starts, labels: statePairs.labels },
  };
}

function placesOfPlane({ state, edges, pairs }: Plane): PlanePlaces {
  return {
    state: { offset: state.offset, rows: state.capacity },
    edges: { offset: edges.offset, rows: edges.capacity },
    pairs: { offset: pairs.offset, rows: pairs.capacity },
  };
}

/**
 * Returns a store with another thread's parameters, in the same shared memory, sharing its numbers or, with
 * `copy`, copying them. The planes are the other store's, in the order of creation. Neither store may grow
 * afterwards.
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

/** Returns a separate store with the parameters of another, all 0. */
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
