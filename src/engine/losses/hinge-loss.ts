import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import { type LabelCosts, labelCosts } from './label-costs.js';
import type { Loss } from './loss.js';
import { bestAllowed, isPartial } from './partial/allowed.js';
import { keepingScores } from './residuals/keeping-rows.js';
import { LossScratch } from './residuals/loss-scratch.js';
import { addPath, clearResiduals } from './residuals/residuals.js';

const hamming: LabelCosts = { wrong: 1, missed: 1, outside: -1 };

/**
 * The margin loss with Hamming cost, max_y (score(y) + number of y_t != y*_t) - score(y*).
 *
 * Residuals: [y'_t = y] - [y*_t = y] with the maximising labels y', a subgradient; all zero if y* wins by at least
 * the cost of every other sequence. Convex, not smooth. For a partially labelled sentence, y* is the best allowed
 * label sequence, and only disallowed labels have a cost. Cost O(T L^2) per sentence, by cost-augmented Viterbi.
 * Taskar, Guestrin and Koller (2003).
 *
 * The margin is minus the loss, min_y (score(y*) - score(y) - number of y_t != y*_t): at most 0, because the minimum
 * includes y = y*.
 */
export const hingeLoss: Loss = {
  name: 'hinge',
  summary: 'margin loss with Hamming cost, for max-margin training by subgradients',
  example: 'contribute: { loss: hinge }',
  predicts: false,
  smooth: false,
  anyStructure: true,
  scorers: ['linear', 'support-vectors'],
  margin: loss => Math.min(0, 0 - loss),
  apply(kernel, lattice, s, gold) {
    const partial = isPartial(lattice.batch!, s);
    const aim = partial ? bestAllowed(kernel, lattice, s) : gold;
    const goldScore = kernel.pathScore(lattice, s, aim);
    const worst = LossScratch.of(lattice).otherPath(lattice.batch!.tokens);
    const most = augmentedViterbi(kernel, lattice, s, gold, worst);
    clearResiduals(lattice, s);
    addPath(lattice, s, worst, 1);
    addPath(lattice, s, aim, -1);
    return Math.max(0, most - goldScore);
  },
};

/**
 * Runs Viterbi with 1 added to the scores of wrong or disallowed labels; afterwards restores the
 * scores bit by bit.
 */
function augmentedViterbi(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  gold: Int32Array,
  path: Int32Array,
): number {
  return keepingScores(lattice, s, () => {
    const costs = labelCosts(lattice, s, gold, hamming);
    const scores = lattice.emissionScores.view;
    const base = lattice.batch!.sentenceStarts[s]! * lattice.width;
    const end = lattice.batch!.sentenceStarts[s + 1]! * lattice.width;
    for (let i = base; i < end; i += 1) scores[i]! += costs[i - base]!;
    return kernel.viterbi(lattice, s, path);
  });
}
