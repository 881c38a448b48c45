import type { Plane } from '../plane.js';

/** plane += factor * source, rows as in the shorter; see `Kernel.addPlane`. */
export function addPlane(plane: Plane, source: Plane, factor: number): void {
  for (const table of ['state', 'edges', 'pairs'] as const) {
    const from = source[table].view;
    const to = plane[table].view;
    const length = Math.min(from.length, to.length);
    for (let i = 0; i < length; i += 1) to[i]! += factor * from[i]!;
  }
}
