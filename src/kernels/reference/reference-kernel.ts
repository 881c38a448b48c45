import type { Kernel } from '../kernel.js';
import { hasOwnTransitions } from '../lattice.js';
import { accumulate, accumulateCompressed } from './accumulate.js';
import { chargeAdaptively, chargeCopy, stepAdaptively } from './adaptive-steps.js';
import { averageRows } from './average-rows.js';
import { applyCumulativePenalty } from './cumulative-penalty.js';
import { exponentiate } from './exponentiate.js';
import { forwardBackwardLog } from './forward-backward-log.js';
import { forwardBackwardPairs } from './forward-backward-pairs.js';
import { forwardBackwardPairsLog } from './forward-backward-pairs-log.js';
import { forwardBackwardScaled } from './forward-backward-scaled.js';
import { forwardBackwardSparse } from './forward-backward-sparse.js';
import { pathScore } from './path-score.js';
import { axpy, scalePlane } from './planes.js';
import { forwardBackwardPruned, viterbiPruned } from './pruned.js';
import { score } from './score.js';
import { isSparse, SparseTransitions } from './sparse-transitions.js';
import { viterbi, viterbiPairs, viterbiSparse } from './viterbi.js';

/** The plain, readable kernel in float64: what every other kernel has to agree with. */
export const referenceKernel: Kernel = {
  name: 'reference',
  precision: 'float64',
  score,
  exponentiate(lattice) {
    if (lattice.candidates.isAll) return;
    exponentiate(lattice);
    lattice.exponentiatedBy = isSparse(lattice) ? new SparseTransitions(lattice) : undefined;
  },
  forwardBackwardScaled(lattice, s) {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    if (lattice.pairLists.isListed(s)) return forwardBackwardPairs(lattice, s);
    const sparse = lattice.exponentiatedBy;
    const isUsed =
      sparse instanceof SparseTransitions &&
      !lattice.closedTokens &&
      !hasOwnTransitions(lattice, s);
    return isUsed ? forwardBackwardSparse(lattice, s, sparse) : forwardBackwardScaled(lattice, s);
  },
  forwardBackwardLog(lattice, s) {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    const isListed = lattice.pairLists.isListed(s);
    return isListed ? forwardBackwardPairsLog(lattice, s) : forwardBackwardLog(lattice, s);
  },
  viterbi(lattice, s, labels) {
    if (lattice.candidates.isPruned(s)) return viterbiPruned(lattice, s, labels);
    if (lattice.pairLists.isListed(s)) return viterbiPairs(lattice, s, labels);
    const find = isSparse(lattice) && !hasOwnTransitions(lattice, s) ? viterbiSparse : viterbi;
    return find(lattice, s, labels);
  },
  pathScore,
  accumulate,
  accumulateCompressed,
  scalePlane,
  axpy,
  applyCumulativePenalty,
  averageRows,
  chargeAdaptively,
  stepAdaptively,
  chargeCopy,
};
