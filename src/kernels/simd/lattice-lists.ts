import { hasOwnTransitions } from '../has-own-transitions.js';
import type { Lattice } from '../lattice.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import { fewestLabels } from './most-entries.js';
import type { SimdExports } from './simd-exports.js';
import { TransitionLists } from './transition-lists.js';

/** The lists of active transitions of one lattice, for sums and for maxima. */
export class LatticeLists {
  readonly sums: TransitionLists;
  readonly #maxima: TransitionLists;
  readonly #fewest: number;
  readonly #bytes: 4 | 8;
  readonly #transposed: Region;
  /** The batch of the lattice whose transition scores are there transposed. */
  #transposedOf = -1;
  /** The batch of the lattice that the lists for maxima belong to, as counted by `Lattice.generation`. */
  #generation = -1;

  constructor(memory: LinearMemory, bytes: 4 | 8) {
    this.#bytes = bytes;
    this.#transposed = new Region(memory);
    this.sums = new TransitionLists(memory, bytes);
    this.#maxima = new TransitionLists(memory, bytes);
    this.#fewest = fewestLabels({ kind: 'maxima', bytes });
  }

  /** Lists for Viterbi; undefined where they do not pay. Looks once per batch whether scores have changed. */
  maxima(run: SimdExports, lattice: Lattice, s: number): TransitionLists | undefined {
    const { generation, labels, transitionForm } = lattice;
    if (transitionForm === 'auto' && labels < this.#fewest) return undefined;
    const lists = this.#maxima;
    if (generation !== this.#generation) {
      this.#generation = generation;
      if (!lists.isCurrent(run, lattice)) lists.listMaxima(run, lattice);
    }
    return lists.active && !hasOwnTransitions(lattice, s) ? lists : undefined;
  }

  /** The transition scores with rows and columns exchanged, minus infinity past the last label. */
  transposed(run: SimdExports, lattice: Lattice): number {
    const { generation, labels, width, matrixSize, transitionScores } = lattice;
    if (generation !== this.#transposedOf) {
      this.#transposedOf = generation;
      this.#transposed.reserve(matrixSize * this.#bytes);
      const { offset } = this.#transposed;
      run.transpose(offset, transitionScores.offset, labels, width, Number.NEGATIVE_INFINITY);
    }
    return this.#transposed.offset;
  }
}
