import type { Plane } from '../../../../src/engine/kernels/memory/plane.js';
import type { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';

/** One number of a plane, and whether the parameter it belongs to exists. */
export interface ParameterPlace {
  readonly table: keyof Plane;
  readonly at: number;
  readonly supported: boolean;
}

/**
 * Every number of a store's planes, padding and unsupported parameters included: a parameter exists
 * where its labels do and the layout and the support allow it.
 */
export function parameterPlaces(store: ParameterStore): ParameterPlace[] {
  const { labels, width, matrixSize, support, layout } = store;
  const places: ParameterPlace[] = [];
  for (let at = 0; at < store.weights.state.view.length; at += 1) {
    const exists = at < store.stateRows * width && at % width < labels;
    const supported = exists && (support === undefined || support.state[at] === 1);
    places.push({ table: 'state', at, supported });
  }
  for (let at = 0; at < store.weights.edges.view.length; at += 1) {
    const feature = Math.floor(at / matrixSize);
    const from = Math.floor((at % matrixSize) / width);
    const exists = feature < store.edgeRows && from < labels && at % width < labels;
    const inLayout = feature > 0 ? layout.support === 'all' : layout.transitions;
    const observed = support === undefined || (feature === 0 && support.transitions[at] === 1);
    places.push({ table: 'edges', at, supported: exists && inLayout && observed });
  }
  for (let at = 0; at < store.weights.pairs.view.length; at += 1) {
    places.push({ table: 'pairs', at, supported: at < store.pairs.size });
  }
  return places;
}
