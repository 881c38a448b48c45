import type { Precision } from '../../../../src/core/arrays.js';
import type { Kernel } from '../../../../src/kernels/kernel.js';
import { Lattice } from '../../../../src/kernels/lattice.js';
import { LinearMemory } from '../../../../src/kernels/memory/linear-memory.js';

/** Where the numbers of a kernel are: its stores and lattices lie in one memory, in its precision. */
export class KernelPlace {
  readonly precision: Precision;
  readonly memory = new LinearMemory();

  constructor(kernel: Kernel) {
    this.precision = kernel.precision;
  }

  lattice(): Lattice {
    return new Lattice(this.memory, this.precision);
  }
}
