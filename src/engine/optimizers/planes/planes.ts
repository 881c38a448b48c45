import type { Reals } from '../../core/arrays.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { type State, stateArray } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { Mixing, Optimizer } from '../optimizer.js';

/**
 * Computes target = factor * source, with the source's rows; `target` must have room, and may be
 * the source.
 */
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

type Arrays = Record<string, Reals>;

/** Returns the numbers of a plane, as named arrays for a checkpoint. */
export function planeArrays(prefix: string, plane: Plane): Arrays {
  return {
    [`${prefix}.state`]: plane.state.view,
    [`${prefix}.edges`]: plane.edges.view,
    [`${prefix}.pairs`]: plane.pairs.view,
  };
}

/**
 * Restores saved numbers; the plane must already have its rows. The saved arrays are not modified.
 *
 * @throws TagstreamError `checkpoint` if there are fewer numbers than in the plane
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

/** Returns the parameter mixing of an optimizer that deploys its last weights. */
export function withoutAverage(
  optimizer: Pick<Optimizer, 'deploy'>,
  startAt: (sentences: number) => void,
  sums: readonly Plane[] = [],
): Mixing {
  return { sums, startAt, present: target => optimizer.deploy(target), averaged: () => 0 };
}
