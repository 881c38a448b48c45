import type { Plane } from './plane.js';

/** Rounds every number of a plane to float32, in place: the precision that model files keep. */
export function roundToFloat32(plane: Plane): void {
  for (const table of [plane.state, plane.edges, plane.pairs]) {
    const numbers = table.view;
    if (numbers instanceof Float32Array) continue;
    for (let i = 0; i < numbers.length; i += 1) numbers[i] = Math.fround(numbers[i]!);
  }
}
