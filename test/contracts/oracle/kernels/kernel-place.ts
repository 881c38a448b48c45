import type { Precision } from '../../../../src/engine/core/arrays.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';

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

/** A place in the memory of a kernel with a lattice, for one of many problems. */
export interface ProblemPlace {
  readonly i: number;
  readonly place: KernelPlace;
  readonly lattice: Lattice;
}

/** Places for so many problems: up to 200 in turn share one, so that what an earlier one left behind would show. */
export function* placesFor(kernel: Kernel, problems: number): Generator<ProblemPlace> {
  let place = new KernelPlace(kernel);
  let lattice = place.lattice();
  for (let i = 0; i < problems; i += 1) {
    if (i > 0 && i % 200 === 0) {
      place = new KernelPlace(kernel);
      lattice = place.lattice();
    }
    yield { i, place, lattice };
  }
}
