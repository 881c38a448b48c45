import type { Lattice } from '../../kernels/lattice.js';
import { keepingScores } from '../residuals/keeping-scores.js';

/**
 * Does inference on sentence `s` with the labels that its tokens may have: the emission scores of all
 * others are minus infinity meanwhile, and afterwards what they were before, to the bit.
 */
export function amongAllowed(lattice: Lattice, s: number, infer: () => number): number {
  const batch = lattice.batch!;
  const starts = batch.allowedStarts!;
  const allowed = batch.allowedLabels!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { labels, width } = lattice;
  return keepingScores(lattice, s, kept => {
    const scores = lattice.emissionScores.view;
    for (let t = first; t < end; t += 1) {
      const row = t * width;
      const [from, to] = [starts[t]!, starts[t + 1]!];
      if (from === to) continue;
      for (let y = 0; y < labels; y += 1) scores[row + y] = Number.NEGATIVE_INFINITY;
      for (let k = from; k < to; k += 1) {
        const at = row + allowed[k]!;
        scores[at] = kept[at - first * width]!;
      }
    }
    return infer();
  });
}
