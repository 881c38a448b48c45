import type { Lattice } from '../../kernels/lattice.js';
import type { RealTable } from '../../kernels/memory/real-table.js';
import { LossScratch } from './loss-scratch.js';

/**
 * Runs a function that may change the rows of a lattice table for sentence `s`, and restores them bit by
 * bit. Calls can be nested.
 *
 * @param work receives a copy of the rows, which starts at the sentence's first token
 */
export function keepingRows(
  lattice: Lattice,
  s: number,
  table: RealTable,
  work: (kept: Float64Array) => number,
): number {
  const { sentenceStarts } = lattice.batch!;
  const base = sentenceStarts[s]! * lattice.width;
  const end = sentenceStarts[s + 1]! * lattice.width;
  const scratch = LossScratch.of(lattice);
  const kept = scratch.take(end - base);
  try {
    const rows = table.view;
    for (let i = base; i < end; i += 1) kept[i - base] = rows[i]!;
    return work(kept);
  } finally {
    // Inference may have grown the memory.
    const restored = table.view;
    for (let i = base; i < end; i += 1) restored[i] = kept[i - base]!;
    scratch.giveBack();
  }
}

/**
 * Runs a function that may change the emission scores of sentence `s`, and restores them bit by bit.
 *
 * @param work receives a copy of the sentence's scores, which starts at its first token
 */
export function keepingScores(
  lattice: Lattice,
  s: number,
  work: (kept: Float64Array) => number,
): number {
  return keepingRows(lattice, s, lattice.emissionScores, work);
}
