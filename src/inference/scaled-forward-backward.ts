import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import { exponentials } from './exponentials.js';

/**
 * Scaled forward-backward of one sentence of a scored lattice, the exponentials made where they are
 * missing; returns log Z, or NaN where scaling would underflow and log space is needed. Cost O(T L^2).
 */
export function scaledForwardBackward(kernel: Kernel, lattice: Lattice, s: number): number {
  exponentials(kernel, lattice);
  return kernel.forwardBackwardScaled(lattice, s);
}
