import type { Reals } from '../../../../src/engine/core/arrays.js';
import type { Lattice } from '../../../../src/engine/kernels/lattice.js';

/** The tables of one sentence of a lattice as nested arrays without padding. */
export class LatticeReader {
  readonly #lattice: Lattice;
  readonly #s: number;
  readonly #first: number;
  readonly length: number;

  constructor(lattice: Lattice, s: number) {
    const starts = lattice.batch!.sentenceStarts;
    this.#lattice = lattice;
    this.#s = s;
    this.#first = starts[s]!;
    this.length = starts[s + 1]! - starts[s]!;
  }

  /** `[T][L]`. */
  nodes(): number[][] {
    return this.#rows(this.#lattice.nodes.view, this.#first * this.#lattice.width, this.length);
  }

  /** `[T][L]`. */
  emissions(): number[][] {
    const { emissionScores, width } = this.#lattice;
    return this.#rows(emissionScores.view, this.#first * width, this.length);
  }

  /** `[L][L]`, the edge marginals summed over the sentence. */
  summedEdges(): number[][] {
    const { transitions, matrixSize, labels } = this.#lattice;
    return this.#rows(transitions.view, this.#s * matrixSize, labels);
  }

  /** `[L][L]` edge marginals of the transition into token `t`; undefined where it has no slot. */
  edgesInto(t: number): number[][] | undefined {
    const { edges, edgeSlots, matrixSize, labels } = this.#lattice;
    const slot = edgeSlots[this.#first + t]!;
    return slot < 0 ? undefined : this.#rows(edges.view, slot * matrixSize, labels);
  }

  /** `[L][L]` scores of the transition into token `t`. */
  transitionsInto(t: number): number[][] {
    const { edgeScores, transitionScores, edgeSlots, matrixSize, labels } = this.#lattice;
    const slot = edgeSlots[this.#first + t]!;
    return slot < 0
      ? this.#rows(transitionScores.view, 0, labels)
      : this.#rows(edgeScores.view, slot * matrixSize, labels);
  }

  /** The labels of this sentence out of those of the whole batch. */
  labels(ofBatch: Int32Array): number[] {
    return Array.from(ofBatch.subarray(this.#first, this.#first + this.length));
  }

  #rows(view: Reals, start: number, count: number): number[][] {
    const { width, labels } = this.#lattice;
    return Array.from({ length: count }, (_, row) =>
      Array.from(view.subarray(start + row * width, start + row * width + labels)),
    );
  }
}
