import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { FreeParameters } from '../vectors/free-parameters.js';

/** All free weights of one feature: those that look at the same tokens. */
export interface WeightBlock {
  readonly kind: 'state' | 'transitions' | 'edge';
  /** Row of the feature among those of its kind; 0 for the plain transitions. */
  readonly row: number;
  /** Places of its weights in the vector of free parameters, rising. */
  readonly at: Uint32Array;
}

/** The weights of a store by feature: state features, plain transitions, edge features. Cost O(size). */
export function weightBlocks(free: FreeParameters, store: ParameterStore): WeightBlock[] {
  const { width, matrixSize, pairs } = store;
  const order = Uint32Array.from({ length: free.size }, (_, i) => i);
  const blocks: WeightBlock[] = [];
  const cut = (places: Uint32Array, rowSize: number, from: number, state: boolean) => {
    for (let first = 0; first < places.length; ) {
      const row = Math.floor(places[first]! / rowSize);
      let end = first + 1;
      while (end < places.length && places[end]! < (row + 1) * rowSize) end += 1;
      const kind = state ? 'state' : row === 0 ? 'transitions' : 'edge';
      blocks.push({ kind, row, at: order.subarray(from + first, from + end) });
      first = end;
    }
  };
  cut(free.state, width, 0, true);
  cut(free.edges, matrixSize, free.transitionsFrom, false);
  const pairsFrom = free.transitionsFrom + free.edges.length;
  for (let row = 1; row < Math.min(store.edgeRows, pairs.heads.length); row += 1) {
    const at: number[] = [];
    for (let slot = pairs.heads[row]!; slot >= 0; slot = pairs.next[slot]!)
      at.push(pairsFrom + slot);
    if (at.length > 0) blocks.push({ kind: 'edge', row, at: Uint32Array.from(at).sort() });
  }
  return blocks;
}
