import type { Plane } from '../plane.js';
import type { RealTable } from '../real-table.js';
import type { SimdExports } from './simd-exports.js';

/** Planes of one store as vectors; see `Kernel.dot` and those after it. */

export function dotPlanes({ dot }: SimdExports, x: Plane, y: Plane): number {
  const part = (a: RealTable, b: RealTable) =>
    dot(a.offset, b.offset, Math.min(a.numbers, b.numbers));
  return part(x.state, y.state) + part(x.edges, y.edges) + part(x.pairs, y.pairs);
}

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

export function norm1OfPlane({ sumOfMagnitudes }: SimdExports, x: Plane): number {
  const part = (table: RealTable) => sumOfMagnitudes(table.offset, table.numbers);
  return part(x.state) + part(x.edges) + part(x.pairs);
}

export function normMaxOfPlane({ largestMagnitude }: SimdExports, x: Plane): number {
  const part = (table: RealTable) => largestMagnitude(table.offset, table.numbers);
  return Math.max(part(x.state), part(x.edges), part(x.pairs));
}
