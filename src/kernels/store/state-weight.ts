import type { ParameterStore } from './parameter-store.js';

/** The weight of a state feature and a label as it is stored, without the scale; 0 where the pair has none. */
export function stateWeight(store: ParameterStore, row: number, label: number): number {
  const place = store.statePlace(row, label);
  return place < 0 ? 0 : store.weights.state.view[place]!;
}
