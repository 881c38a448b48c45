import type { Plane } from '../../../kernels/memory/plane.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import type { PlaneNumbers } from './shard-job.js';

/** The numbers of a plane that stand for parameters, without room to grow; views, until the store grows. */
export function planeNumbers(store: ParameterStore, plane: Plane): PlaneNumbers {
  const { stateRows, edgeRows, width, matrixSize, hasEdgeBlocks, pairs } = store;
  return [
    plane.state.view.subarray(0, stateRows * width),
    plane.edges.view.subarray(0, (hasEdgeBlocks ? edgeRows : 1) * matrixSize),
    plane.pairs.view.subarray(0, pairs.size),
  ];
}

/** Numbers as they are now. */
export function copied(numbers: PlaneNumbers): PlaneNumbers {
  return numbers.map(table => table.slice());
}

/** As many zeros. */
export function zeros(numbers: PlaneNumbers): PlaneNumbers {
  return numbers.map(table =>
    table instanceof Float32Array ? new Float32Array(table.length) : new Float64Array(table.length),
  );
}
