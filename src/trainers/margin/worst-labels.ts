import type { Contribution } from '../../core/training/contribution.js';

/** The labels y of a sentence whose loss left the residuals [y_t = y] - [y*_t = y]. */
export function worstLabels({ residual, width }: Contribution, gold: Int32Array): Int32Array {
  const labels = gold.slice();
  for (let t = 0; t < labels.length; t += 1) {
    for (let y = 0; y < width; y += 1) if (residual[t * width + y]! > 0) labels[t] = y;
  }
  return labels;
}
