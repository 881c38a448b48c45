import type { Plane } from '../../kernels/memory/plane.js';

const tables = ['state', 'edges', 'pairs'] as const;

/**
 * Rounds weights to multiples of `1 / unit`, those in the middle to the even one; those below half a part become zero.
 * Each is then off by half a part at most, and the score of a token by as many halves as it has features.
 */
export function roundWeights(weights: Plane, unit: number): void {
  for (const table of tables) {
    const view = weights[table].view;
    for (let i = 0; i < view.length; i += 1) {
      if (view[i] !== 0) view[i] = nearestEven(view[i]! * unit) / unit;
    }
  }
}

/** The same for a number and its negative. */
function nearestEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest < 0.5 || (rest === 0.5 && below % 2 === 0)) return below;
  return below + 1;
}
