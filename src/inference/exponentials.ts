import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';

/** Makes the exponentials of a scored batch, which scaled recursions need, where they are missing. */
export function exponentials(kernel: Kernel, lattice: Lattice): void {
  if (lattice.exponentiated === lattice.generation) return;
  kernel.exponentiate(lattice);
  lattice.exponentiated = lattice.generation;
}
