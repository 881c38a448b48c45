import type { Lattice } from '../../kernels/lattice.js';
import { keepingRows } from './keeping-rows.js';

/**
 * Does something with the emission scores of sentence `s`, which may change them: afterwards they are
 * what they were before, to the bit.
 *
 * @param work is given a copy of the sentence's scores, which starts at its first token
 */
export function keepingScores(
  lattice: Lattice,
  s: number,
  work: (kept: Float64Array) => number,
): number {
  return keepingRows(lattice, s, lattice.emissionScores, work);
}
