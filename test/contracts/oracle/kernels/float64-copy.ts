import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';

/** The same parameters with the same weights in float64, in a memory of their own. */
export function float64Copy(store: ParameterStore): ParameterStore {
  const { layout, labelCapacity, pairs, labels, stateRows, edgeRows, support } = store;
  const wide = { ...layout, precision: 'float64' } as const;
  const copy = new ParameterStore(wide, labelCapacity, new LinearMemory(), pairs);
  copy.reserve({ labels, stateRows, edgeRows });
  if (support !== undefined) copy.support!.restore(support.state, support.transitions);
  for (const table of ['state', 'edges', 'pairs'] as const) {
    const from = store.weights[table].view;
    const to = copy.weights[table].view;
    to.set(from.subarray(0, to.length));
  }
  copy.scale = store.scale;
  return copy;
}
