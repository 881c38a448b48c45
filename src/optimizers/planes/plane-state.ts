import type { Reals } from '../../core/reals.js';
import { stateArray } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';

type Arrays = Record<string, Reals>;

/** The numbers of a plane, as named arrays for a checkpoint. */
export function planeArrays(prefix: string, plane: Plane): Arrays {
  return {
    [`${prefix}.state`]: plane.state.view,
    [`${prefix}.edges`]: plane.edges.view,
    [`${prefix}.pairs`]: plane.pairs.view,
  };
}

/**
 * Puts saved numbers back; the plane must have its rows already. Its own numbers stay as they are.
 *
 * @throws TagstreamError `checkpoint` if there are fewer than the plane has
 */
export function restorePlane(prefix: string, plane: Plane, state: State): void {
  for (const table of ['state', 'edges', 'pairs'] as const) {
    const view = plane[table].view;
    const kinds = [Float64Array, Float32Array];
    const saved: Reals = stateArray(state, `${prefix}.${table}`, kinds, view.length);
    if (saved.buffer === view.buffer && saved.byteOffset === view.byteOffset) continue;
    view.fill(0);
    view.set(saved.subarray(0, view.length));
  }
}
