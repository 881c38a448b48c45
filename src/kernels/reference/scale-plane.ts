import type { Plane } from '../memory/plane.js';

/** plane *= factor; see `Kernel.scalePlane`. */
export function scalePlane(plane: Plane, factor: number): void {
  for (const table of [plane.state, plane.edges, plane.pairs]) {
    const numbers = table.view;
    for (let i = 0; i < numbers.length; i += 1) numbers[i]! *= factor;
  }
}
