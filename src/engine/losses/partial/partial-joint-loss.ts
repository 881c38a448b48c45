import { exponentials, forwardBackward } from '../../inference/forward-backward.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { LossScratch } from '../residuals/loss-scratch.js';
import { clearResiduals, scaleResiduals } from '../residuals/residuals.js';
import { amongAllowed } from './allowed.js';

/**
 * Returns the joint loss of a sentence with partial or no labels, marginalised over the unknown ones:
 *
 *     -log p(x, y in A) = -log Z_A,   residuals -p(y_t = y | x, y in A)
 *
 * where A is the set of allowed label sequences, and likewise for the edges: the negated expected counts of Baum
 * and Welch. Cost O(T L^2) if nothing is known, otherwise proportional to the allowed labels unless scaling
 * would underflow. Rabiner (1989).
 */
export function partialJointLoss(kernel: Kernel, lattice: Lattice, s: number): number {
  if (!allowsAll(lattice, s)) {
    exponentials(kernel, lattice);
    clearResiduals(lattice, s);
    const logZ = LossScratch.of(lattice).allowed.subtract(s);
    if (!Number.isNaN(logZ)) return -logZ;
  }
  const logZ = allowsAll(lattice, s)
    ? forwardBackward(kernel, lattice, s)
    : amongAllowed(lattice, s, () => kernel.forwardBackwardLog(lattice, s));
  scaleResiduals(lattice, s, -1);
  return -logZ;
}

/** Whether a sentence is unconstrained: no token has a label list. */
function allowsAll({ batch }: Lattice, s: number): boolean {
  const { sentenceStarts, allowedStarts } = batch!;
  return allowedStarts![sentenceStarts[s]!] === allowedStarts![sentenceStarts[s + 1]!];
}
