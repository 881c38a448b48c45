import type { Plane } from '../memory/plane.js';

/** Tables may have grown with more or less to spare; what is beyond the shorter is zero. */
const tables = ['state', 'edges', 'pairs'] as const;

/** y += factor x; see `Kernel.axpy`. */
export function axpy(factor: number, x: Plane, y: Plane): void {
  for (const name of tables) {
    const [u, v] = [x[name].view, y[name].view];
    const length = Math.min(u.length, v.length);
    for (let i = 0; i < length; i += 1) v[i]! += factor * u[i]!;
  }
}

/** plane *= factor; see `Kernel.scalePlane`. */
export function scalePlane(plane: Plane, factor: number): void {
  for (const table of [plane.state, plane.edges, plane.pairs]) {
    const numbers = table.view;
    for (let i = 0; i < numbers.length; i += 1) numbers[i]! *= factor;
  }
}
