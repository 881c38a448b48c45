import type { Reals } from '../../core/reals.js';

/** matrix += factor * a * b, element by element: `[labels x width]` of two `[labels x labels]`. */
export function addPairs(
  matrix: Reals,
  width: number,
  labels: number,
  a: Float64Array,
  b: Float64Array,
  factor: number,
): void {
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) {
      const pair = from * labels + to;
      matrix[from * width + to]! += factor * a[pair]! * b[pair]!;
    }
  }
}
