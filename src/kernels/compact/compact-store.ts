import { LinearMemory } from '../memory/linear-memory.js';
import type { PairChains } from '../store/pair-chains.js';
import { type ParameterLayout, ParameterStore } from '../store/parameter-store.js';
import type { SupportedPairs } from '../store/supported-pairs.js';

/**
 * A store of the same transitions and edge features for batch training, in a memory of its own, with rows
 * laid out for just the labels there are. All weights are zero. It has no state rows in its planes:
 * `compressed` is to be set. It does not grow.
 */
export function compactStore(shape: StoreShape): ParameterStore {
  const { labels, edgeRows, support } = shape;
  const compact = new ParameterStore(shape.layout, labels, new LinearMemory(), shape.pairs);
  compact.reserve({ labels, stateRows: 0, edgeRows });
  compact.fitPairs();
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) {
      if (support?.transitions[from * shape.width + to] === 1) compact.observeEdge(0, from, to);
    }
  }
  return compact;
}

/** Which parameters a store has, whatever their numbers. */
export interface StoreShape extends SupportedPairs {
  readonly layout: ParameterLayout;
  readonly edgeRows: number;
  readonly pairs: PairChains;
}
