import type { ParameterStore } from './parameter-store.js';

/** Visits the labels for which a state feature has a stored weight that is not 0, with that weight, unscaled. */
export function eachStateWeight(
  store: ParameterStore,
  row: number,
  visit: (label: number, weight: number) => void,
): void {
  const { statePairs, labels, width } = store;
  const table = store.weights.state.view;
  if (statePairs === undefined) {
    for (let y = 0; y < labels; y += 1) {
      const weight = table[row * width + y]!;
      if (weight !== 0) visit(y, weight);
    }
    return;
  }
  for (let i = statePairs.starts[row]!; i < statePairs.starts[row + 1]!; i += 1) {
    if (table[i] !== 0) visit(statePairs.labels[i]!, table[i]!);
  }
}
