import type { Lattice } from '../lattice.js';
import type { SimdMemory } from './simd-memory.js';

/** exp of the transition scores, and lists of them, unless they are those of the last batch. */
export function exponentiateTransitions(simd: SimdMemory, lattice: Lattice): void {
  const { run } = simd;
  const lists = simd.listsOf(lattice).sums;
  const current = lists.isCurrent(run, lattice);
  if (current && lattice.exponentiatedBy === lists) return;
  const { transitionScores, expTransitions, expTransposed, labels, width } = lattice;
  const { offset } = expTransitions;
  lattice.transitionMaximum = run.exponentiateMatrix(
    transitionScores.offset,
    offset,
    labels,
    width,
  );
  run.transpose(expTransposed.offset, offset, labels, width, 0);
  lattice.exponentiatedBy = lists;
  lists.listSums(run, lattice);
}
