import type { Reals } from '../../core/reals.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Plane } from '../../kernels/memory/plane.js';

/** target = factor * source, rows as in the source; `target` must have room, and may be the source. */
export function copyPlane(source: Plane, target: Plane, factor: number): void {
  requireArgument('copyPlane: the source', source, kinds.plane);
  requireArgument('copyPlane: the target', target, kinds.plane);
  for (const table of ['state', 'edges', 'pairs'] as const) {
    copyScaled(source[table].view, target[table].view, factor);
  }
}

function copyScaled(from: Reals, to: Reals, factor: number): void {
  const length = Math.min(from.length, to.length);
  if (factor === 1) {
    if (from.buffer !== to.buffer || from.byteOffset !== to.byteOffset)
      to.set(from.subarray(0, length));
    return;
  }
  for (let i = 0; i < length; i += 1) to[i] = factor * from[i]!;
}
