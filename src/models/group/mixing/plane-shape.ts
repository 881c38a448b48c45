import type { ParameterStore } from '../../../kernels/store/parameter-store.js';

/** How the numbers of a plane are laid out: see `planeNumbers`. */
export interface PlaneShape {
  readonly stateRows: number;
  /** Lanes in a row, and rows in a block. */
  readonly width: number;
  readonly blocks: number;
  readonly pairs: number;
}

/** The shape that the planes of a store have now. */
export function planeShapeOf(store: ParameterStore): PlaneShape {
  const { stateRows, edgeRows, width, hasEdgeBlocks, pairs } = store;
  return { stateRows, width, blocks: hasEdgeBlocks ? edgeRows : 1, pairs: pairs.size };
}

/** Whether nothing has grown. */
export function isSameShape(a: PlaneShape, b: PlaneShape): boolean {
  const names = ['stateRows', 'width', 'blocks', 'pairs'] as const;
  return names.every(name => a[name] === b[name]);
}

/** Numbers of one shape in another, in which there are as many rows, lanes, blocks and pairs or more; what is new is 0. */
export function laidOut(
  [state, edges, pairs]: readonly Float64Array[],
  from: PlaneShape,
  to: PlaneShape,
): Float64Array[] {
  const { width } = from;
  const rows = (
    table: Float64Array,
    count: number,
    size: number,
    target: (row: number) => number,
  ) => {
    const laid = new Float64Array(size);
    for (let row = 0; row < count; row += 1) {
      laid.set(table.subarray(row * width, (row + 1) * width), target(row) * to.width);
    }
    return laid;
  };
  const grown = new Float64Array(to.pairs);
  grown.set(pairs!);
  return [
    rows(state!, from.stateRows, to.stateRows * to.width, row => row),
    rows(edges!, from.blocks * width, to.blocks * to.width ** 2, row => {
      const block = Math.floor(row / width);
      return block * to.width + (row - block * width);
    }),
    grown,
  ];
}
