import type { Plane } from '../kernels/plane.js';

/** target = factor * source, rows as in the source; `target` must have room. */
export function copyPlane(source: Plane, target: Plane, factor: number): void {
  for (const table of ['state', 'edges', 'pairs'] as const) {
    const from = source[table].view;
    const to = target[table].view;
    const length = Math.min(from.length, to.length);
    for (let i = 0; i < length; i += 1) to[i] = factor * from[i]!;
  }
}
