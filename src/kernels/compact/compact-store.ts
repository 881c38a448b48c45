import { LinearMemory } from '../linear-memory.js';
import { ParameterStore } from '../parameter-store.js';
import { CompressedRows } from './compressed-rows.js';

/**
 * A store of the same parameters for batch training where only observed pairs may have weights: its state
 * weights are `CompressedRows`, in a memory of its own, and rows are laid out for just the labels there
 * are. All weights are zero. It has no state rows in its planes, and does not grow.
 */
export function compactStore(store: ParameterStore): ParameterStore {
  const { labels, edgeRows, support } = store;
  const memory = new LinearMemory();
  const compact = new ParameterStore(store.layout, labels, memory, store.pairs);
  compact.reserve({ labels, stateRows: 0, edgeRows });
  compact.fitPairs();
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) {
      if (support?.transitions[from * store.width + to] === 1) compact.observeEdge(0, from, to);
    }
  }
  compact.compressed = new CompressedRows(store, memory, compact.width);
  return compact;
}
