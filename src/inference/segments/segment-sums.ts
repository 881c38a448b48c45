import type { Lattice } from '../../kernels/lattice.js';

/** Sums over all label sequences of a sentence whose spans are scored. */
export interface SegmentSums {
  /** Probabilities of labels, label pairs and spans of sentence `s` into the lattice; returns log Z. */
  run(lattice: Lattice, s: number): number;
  /**
   * Probability that the labels of the sentence of the last `run` mark just this span: tokens `[start, end)` of the
   * sentence. Exact for any length. Cost O((end - start) * pairs inside spans).
   */
  probability(lattice: Lattice, type: string, start: number, end: number): number;
}
