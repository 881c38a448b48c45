import type { Plane } from '../memory/plane.js';
import { RealTable } from '../memory/real-table.js';
import type { CompressedRows } from '../store/compressed-rows.js';
import type { ParameterStore } from '../store/parameter-store.js';

/**
 * A sum for each parameter of a compact store, in float64 whatever its precision. `state` has one per row, in
 * the order of the compressed rows; what is added to dense rows is in `dense`.
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

  /** All sums become 0. */
  clear(): void {
    for (const table of [this.state, this.dense, this.edges, this.pairs]) table.view.fill(0);
  }
}
