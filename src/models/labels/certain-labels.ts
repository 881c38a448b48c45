import type { AllowedLabels } from '../../core/minibatch/allowed-labels.js';

/**
 * The labels of the tokens that may have one only; -1 for the others.
 *
 * @example
 * const allowed = { starts: Uint32Array.of(0, 1, 3, 3), labels: Uint32Array.of(4, 0, 1) };
 * certainLabels(allowed) // => Int32Array.of(4, -1, -1)
 */
export function certainLabels({ starts, labels }: AllowedLabels): Int32Array {
  const certain = new Int32Array(starts.length - 1).fill(-1);
  for (let t = 0; t < certain.length; t += 1) {
    if (starts[t + 1]! - starts[t]! === 1) certain[t] = labels[starts[t]!]!;
  }
  return certain;
}
