import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';

/** Scaled where that is safe (`auto`), or log space in any case. */
export type NumberSpace = 'auto' | 'log';

/**
 * Node and edge marginals of one sentence of a scored lattice; returns log Z.
 *
 * Runs the scaled recursion, and the log-space one where scaling would underflow. Afterwards
 * `lattice.nodes` holds p(y_t = y | x), `lattice.edges` p(y_{t-1} = y', y_t = y | x) for the tokens with
 * a slot and `lattice.transitions` their sum over the sentence. Cost O(T L^2).
 */
export function forwardBackward(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  space: NumberSpace = 'auto',
): number {
  if (space === 'auto') {
    if (lattice.exponentiated !== lattice.generation) {
      kernel.exponentiate(lattice);
      lattice.exponentiated = lattice.generation;
    }
    const logZ = kernel.forwardBackwardScaled(lattice, s);
    if (!Number.isNaN(logZ)) return logZ;
  }
  return kernel.forwardBackwardLog(lattice, s);
}
