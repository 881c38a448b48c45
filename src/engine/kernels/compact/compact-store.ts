import { LinearMemory } from '../memory/linear-memory.js';
import type { Plane } from '../memory/plane.js';
import { RealTable } from '../memory/real-table.js';
import type { CompressedRows, SupportedPairs } from '../store/compressed-rows.js';
import type { PairChains } from '../store/pair-chains.js';
import { type ParameterLayout, ParameterStore } from '../store/parameter-store.js';

/**
 * Returns a store with the same transitions and edge features for batch training, in separate memory, with
 * rows sized for the current labels. All weights are zero. Its planes have no state rows: set `compressed`. It
 * does not grow.
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

/** The set of a store's parameters, regardless of their values. */
export interface StoreShape extends SupportedPairs {
  readonly layout: ParameterLayout;
  readonly edgeRows: number;
  readonly pairs: PairChains;
}

/**
 * A sum for each parameter of a compact store, in float64 whatever the store's precision. `state` has one sum
 * per compressed row, in their order; sums of dense rows are in `dense`.
 */
export class CompactPlane implements Plane {
  readonly state: RealTable;
  readonly dense: RealTable;
  readonly edges: RealTable;
  readonly pairs: RealTable;

  constructor(store: ParameterStore, compressed: CompressedRows) {
    const { memory, width, labelCapacity, pairs, edgeRows } = store;
    const table = (rows: number, lanes: number) => {
      const made = new RealTable(memory, lanes, 'float64');
      made.reset(rows, lanes);
      return made;
    };
    this.state = table(compressed.size, 1);
    this.dense = table(compressed.dense.capacity, width);
    this.edges = table((store.hasEdgeBlocks ? edgeRows : 1) * labelCapacity, width);
    this.pairs = table(pairs.size, 1);
  }

  /** Sets all sums to 0. */
  clear(): void {
    for (const table of [this.state, this.dense, this.edges, this.pairs]) table.view.fill(0);
  }
}

/**
 * Returns where each state feature's pairs start in the vector of free parameters, and where the last ones
 * end. Cost O(features * labels).
 */
export function pairStarts({ labels, width, stateRows, support }: SupportedPairs): Uint32Array {
  const starts = new Uint32Array(stateRows + 1);
  let size = 0;
  for (let row = 0; row < stateRows; row += 1) {
    if (support === undefined) size += labels;
    else {
      for (let at = row * width; at < row * width + labels; at += 1) size += support.state[at]!;
    }
    starts[row + 1] = size;
  }
  return starts;
}
