import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { keepingScores } from '../residuals/keeping-rows.js';
import { LossScratch } from '../residuals/loss-scratch.js';

/**
 * Runs inference on sentence `s` over its allowed labels: sets the emission scores of all others to
 * minus infinity, and restores them bit by bit afterwards.
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

/**
 * Returns the best allowed label sequence of a partially labelled sentence, at its tokens' indices;
 * the next call overwrites it. Costs one Viterbi pass.
 */
export function bestAllowed(kernel: Kernel, lattice: Lattice, s: number): Int32Array {
  const path = LossScratch.of(lattice).path(lattice.batch!.tokens);
  amongAllowed(lattice, s, () => kernel.viterbi(lattice, s, path));
  return path;
}

/** Returns whether a labelled sentence has allowed labels per token instead of gold labels. */
export function isPartial({ allowedStarts, gold, sentenceStarts }: Minibatch, s: number): boolean {
  return allowedStarts !== undefined && gold[sentenceStarts[s]!] === -1;
}
