import type { Loss } from './loss.js';
import { isPartial } from './partial/allowed.js';
import { partialJointLoss } from './partial/partial-joint-loss.js';
import { addPath, clearResiduals } from './residuals/residuals.js';

/**
 * The loss of counted models, -log p(x, y): the negated score of the labels, with table logarithms as potentials.
 *
 * Its residuals are -[j = y*_t] and -[i = y*_{t-1}, j = y*_t], the negated observed counts, because there are no
 * expected counts; the optimizer `counts` does not need residuals, because it counts labels directly. Uses the
 * current tables, so the loss of the first pass is progressive (computed before each sentence is counted); densities
 * of numbers may make it negative. Cost O(T L) per sentence, without forward-backward; with `counts` O(active
 * features), because only the labels are scored. Partially labelled sentences: see `partialJointLoss`. Rabiner
 * (1989).
 */
export const jointLoss: Loss = {
  name: 'joint',
  summary:
    '-log p(x, y) with unknown labels summed out, for hidden Markov models; its gradient is counts',
  example: 'contribute: { loss: joint }',
  predicts: false,
  smooth: false,
  exclusive: true,
  scorers: ['hmm'],
  scoresLabelsAlone: true,
  apply(kernel, lattice, s, gold) {
    if (isPartial(lattice.batch!, s)) return partialJointLoss(kernel, lattice, s);
    if (lattice.readsResiduals) {
      clearResiduals(lattice, s);
      addPath(lattice, s, gold, -1);
    }
    return -kernel.pathScore(lattice, s, gold);
  },
};
