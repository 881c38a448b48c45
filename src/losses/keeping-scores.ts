import type { Lattice } from '../kernels/lattice.js';
import { LossScratch } from './loss-scratch.js';

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
  const { sentenceStarts } = lattice.batch!;
  const base = sentenceStarts[s]! * lattice.width;
  const end = sentenceStarts[s + 1]! * lattice.width;
  const kept = LossScratch.of(lattice).scores(end - base);
  const scores = lattice.emissionScores.view;
  for (let i = base; i < end; i += 1) kept[i - base] = scores[i]!;
  const result = work(kept);
  // Inference may have made the memory grow.
  const restored = lattice.emissionScores.view;
  for (let i = base; i < end; i += 1) restored[i] = kept[i - base]!;
  return result;
}
