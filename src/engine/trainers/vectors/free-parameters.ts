import type { Reals } from '../../core/arrays.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * The parameters of a store that may differ from zero, as one vector: state features by label, then plain
 * transitions and transitions of edge features, in the order of the tables. Lanes past the last label and
 * unsupported pairs are excluded.
 *
 * The store must have all its rows; vectors become meaningless when it grows. Each call costs O(size).
 */
export class FreeParameters {
  /** Length of the vector. */
  readonly size: number;
  /** Places in the table of state features for the first part of the vector, ascending. */
  readonly state: Uint32Array;
  /** Places in the table of transitions and edge features for the second part, ascending. */
  readonly edges: Uint32Array;
  readonly #pairs: number;

  constructor(store: ParameterStore) {
    this.state = statePlaces(store);
    this.edges = edgePlaces(store);
    this.#pairs = store.pairs.size;
    this.size = this.state.length + this.edges.length + this.#pairs;
  }

  /** Index in the vector at which the parameters of transitions start. */
  get transitionsFrom(): number {
    return this.state.length;
  }

  /** Copies the free parameters of a plane to a vector. */
  gather(plane: Plane, vector: Float64Array): void {
    take(plane.state.view, this.state, vector, 0);
    take(plane.edges.view, this.edges, vector, this.state.length);
    const pairs = plane.pairs.view;
    const from = this.state.length + this.edges.length;
    for (let i = 0; i < this.#pairs; i += 1) vector[from + i] = pairs[i]!;
  }

  /** Copies a vector to the free parameters of a plane; other numbers are unchanged. */
  scatter(vector: Float64Array, plane: Plane): void {
    put(vector, 0, this.state, plane.state.view);
    put(vector, this.state.length, this.edges, plane.edges.view);
    const pairs = plane.pairs.view;
    const from = this.state.length + this.edges.length;
    for (let i = 0; i < this.#pairs; i += 1) pairs[i] = vector[from + i]!;
  }
}

function take(table: Reals, places: Uint32Array, vector: Float64Array, from: number): void {
  for (let i = 0; i < places.length; i += 1) vector[from + i] = table[places[i]!]!;
}

function put(vector: Float64Array, from: number, places: Uint32Array, table: Reals): void {
  for (let i = 0; i < places.length; i += 1) table[places[i]!] = vector[from + i]!;
}

function statePlaces({ labels, width, stateRows, support }: ParameterStore): Uint32Array {
  let supported = stateRows * labels;
  if (support !== undefined) {
    supported = 0;
    for (let i = 0; i < stateRows * width; i += 1) supported += support.state[i]!;
  }
  const places = new Uint32Array(supported);
  let size = 0;
  for (let row = 0; row < stateRows; row += 1) {
    for (let at = row * width; at < row * width + labels; at += 1) {
      if (support !== undefined && support.state[at] === 0) continue;
      places[size] = at;
      size += 1;
    }
  }
  return places;
}

function edgePlaces(store: ParameterStore): Uint32Array {
  const { labels, width, matrixSize, support } = store;
  const blocks = store.hasEdgeBlocks ? store.edgeRows : 1;
  const places: number[] = [];
  for (let block = store.layout.transitions ? 0 : 1; block < blocks; block += 1) {
    for (let from = 0; from < labels; from += 1) {
      for (let y = 0; y < labels; y += 1) {
        const at = from * width + y;
        if (support === undefined || support.transitions[at] === 1) {
          places.push(block * matrixSize + at);
        }
      }
    }
  }
  return Uint32Array.from(places);
}

/** All free weights of one feature, which are active at the same tokens. */
export interface WeightBlock {
  readonly kind: 'state' | 'transitions' | 'edge';
  /** Row of the feature among those of its kind; 0 for the plain transitions. */
  readonly row: number;
  /** Indices of its weights in the vector of free parameters, ascending. */
  readonly at: Uint32Array;
}

/**
 * Returns a store's weights grouped by feature: state features, plain transitions, edge features. Cost
 * O(size).
 */
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
