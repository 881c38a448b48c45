import type { SupportedPairs } from '../store/supported-pairs.js';

/**
 * Where the pairs of each state feature start in the vector of free parameters, and where the last ones
 * end. Cost O(features * labels).
 */
export function pairStarts({ labels, width, stateRows, support }: SupportedPairs): Uint32Array {
  const starts = new Uint32Array(stateRows + 1);
  let size = 0;
  for (let row = 0; row < stateRows; row += 1) {
    if (support === undefined) size += labels;
    else {
      for (let at = row * width; at < row * width + labels; at += 1) size += support.state[at]!;
    }
    starts[row + 1] = size;
  }
  return starts;
}
