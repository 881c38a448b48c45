import type { Plane } from '../memory/plane.js';
import type { RealTable } from '../memory/real-table.js';
import type { SimdExports } from './simd-exports.js';

/** y += factor x over planes of one store; see `Kernel.axpy`. */
export function addPlanes({ addScaled }: SimdExports, factor: number, x: Plane, y: Plane): void {
  // One table may have grown with more to spare than the other; what is beyond is zero.
  const add = (a: RealTable, b: RealTable) =>
    addScaled(b.offset, a.offset, Math.min(a.numbers, b.numbers), factor);
  add(x.state, y.state);
  add(x.edges, y.edges);
  add(x.pairs, y.pairs);
}

export function scalePlane({ scaleNumbers }: SimdExports, x: Plane, factor: number): void {
  for (const table of [x.state, x.edges, x.pairs]) {
    scaleNumbers(table.offset, table.numbers, factor);
  }
}
