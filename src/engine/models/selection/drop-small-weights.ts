import type { Plane } from '../../kernels/memory/plane.js';

/** The weights of a trained model that are kept, and their form. */
export interface WeightSelection {
  /** Absolute value below which weights become zero. */
  readonly below?: number | undefined;
  /** Maximum number of weights kept, the largest. */
  readonly keep?: number | undefined;
  /**
   * Divisor of all weights, applied first: above 1, probabilities become less extreme. Default 1.
   */
  readonly temperature?: number | undefined;
  /** Whether to round the kept weights, for a compact model file. */
  readonly compact?: boolean | undefined;
}

const tables = ['state', 'edges', 'pairs'] as const;

/**
 * Thresholds weights after training: zeroes weights with |w| below a threshold and, if there are more than
 * allowed, all but the largest; ties keep the first in the tables. Cost O(all weights), plus a sort of the nonzero
 * ones if their number is limited.
 */
export function dropSmallWeights(weights: Plane, { below = 0, keep }: WeightSelection): void {
  for (const table of tables) {
    const view = weights[table].view;
    for (let i = 0; i < view.length; i += 1) if (Math.abs(view[i]!) < below) view[i] = 0;
  }
  if (keep === undefined) return;
  const sizes = Float64Array.from(sizesOf(weights)).sort();
  if (sizes.length <= keep) return;
  const least = keep === 0 ? Number.POSITIVE_INFINITY : sizes[sizes.length - keep]!;
  // Keeps the ties for which there is room.
  let room = keep - sizes.filter(size => size > least).length;
  for (const table of tables) {
    const view = weights[table].view;
    for (let i = 0; i < view.length; i += 1) {
      const size = Math.abs(view[i]!);
      if (size > least) continue;
      if (size === least && room > 0) room -= 1;
      else view[i] = 0;
    }
  }
}

function* sizesOf(weights: Plane): Generator<number> {
  for (const table of tables) {
    for (const weight of weights[table].view) if (weight !== 0) yield Math.abs(weight);
  }
}
