import type { SparseVector } from './sparse-vector.js';

/**
 * Cuts sparse vectors where their places do not rise, so that each piece of a whole vector finds its own numbers
 * side by side. Cost O(their numbers).
 */
export function risingRuns(vectors: readonly SparseVector[]): SparseVector[] {
  const runs: SparseVector[] = [];
  for (const { places, values } of vectors) {
    let from = 0;
    for (let i = 1; i <= places.length; i += 1) {
      if (i < places.length && places[i]! > places[i - 1]!) continue;
      runs.push({ places: places.subarray(from, i), values: values.subarray(from, i) });
      from = i;
    }
  }
  return runs;
}
