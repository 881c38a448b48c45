import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { LossScratch } from '../residuals/loss-scratch.js';
import { amongAllowed } from './among-allowed.js';

/**
 * The best of the label sequences that a partially labelled sentence may have, at its tokens'
 * places; overwritten by the next call. Cost of Viterbi.
 */
export function bestAllowed(kernel: Kernel, lattice: Lattice, s: number): Int32Array {
  const path = LossScratch.of(lattice).path(lattice.batch!.tokens);
  amongAllowed(lattice, s, () => kernel.viterbi(lattice, s, path));
  return path;
}
