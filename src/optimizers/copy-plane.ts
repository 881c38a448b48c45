import type { Reals } from '../core/reals.js';
import type { Plane } from '../kernels/plane.js';

/** target = factor * source, rows as in the source; `target` must have room. */
export function copyPlane(source: Plane, target: Plane, factor: number): void {
  for (const table of ['state', 'edges', 'pairs'] as const) {
    copyScaled(source[table].view, target[table].view, factor);
  }
}

function copyScaled(from: Reals, to: Reals, factor: number): void {
  const length = Math.min(from.length, to.length);
  for (let i = 0; i < length; i += 1) to[i] = factor * from[i]!;
}
