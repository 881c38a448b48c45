import type { Plane, PlanePlaces } from '../memory/plane.js';
import type { ParameterLayout, ParameterStore } from './parameter-store.js';

/** All that another thread needs to work on the parameters of a shared memory; can be sent to it. */
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

/** The places of a store whose parameters will not grow any more. */
export function placesOf(store: ParameterStore): StorePlaces {
  return { ...shapeOf(store), planes: store.planes.map(placesOfPlane) };
}

/** The same without its numbers. */
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
