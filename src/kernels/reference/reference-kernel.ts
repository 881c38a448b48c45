import type { Kernel } from '../kernel.js';
import type { Plane } from '../memory/plane.js';
import { accumulate, accumulateCompressed } from './accumulate.js';
import { applyCumulativePenalty } from './cumulative-penalty.js';
import { exponentiate } from './exponentiate.js';
import { forwardBackwardLog } from './forward-backward-log.js';
import { forwardBackwardPairs } from './forward-backward-pairs.js';
import { forwardBackwardPairsLog } from './forward-backward-pairs-log.js';
import { forwardBackwardScaled } from './forward-backward-scaled.js';
import { pathScore } from './path-score.js';
import { forwardBackwardPruned, viterbiPruned } from './pruned.js';
import { score } from './score.js';
import { viterbi, viterbiPairs } from './viterbi.js';

/** The plain, readable kernel in float64: what every other kernel has to agree with. */
export const referenceKernel: Kernel = {
  name: 'reference',
  precision: 'float64',
  score,
  exponentiate(lattice) {
    if (!lattice.candidates.isAll) exponentiate(lattice);
  },
  forwardBackwardScaled(lattice, s) {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    const isListed = lattice.pairLists.isListed(s);
    return isListed ? forwardBackwardPairs(lattice, s) : forwardBackwardScaled(lattice, s);
  },
  forwardBackwardLog(lattice, s) {
    if (lattice.candidates.isPruned(s)) return forwardBackwardPruned(lattice, s);
    const isListed = lattice.pairLists.isListed(s);
    return isListed ? forwardBackwardPairsLog(lattice, s) : forwardBackwardLog(lattice, s);
  },
  viterbi(lattice, s, labels) {
    if (lattice.candidates.isPruned(s)) return viterbiPruned(lattice, s, labels);
    const find = lattice.pairLists.isListed(s) ? viterbiPairs : viterbi;
    return find(lattice, s, labels);
  },
  pathScore,
  accumulate,
  accumulateCompressed,
  scalePlane,
  axpy,
  applyCumulativePenalty,
};

/** Tables may have grown with more or less to spare; what is beyond the shorter is zero. */
const tables = ['state', 'edges', 'pairs'] as const;

/** y += factor x; see `Kernel.axpy`. */
function axpy(factor: number, x: Plane, y: Plane): void {
  for (const name of tables) {
    const [u, v] = [x[name].view, y[name].view];
    const length = Math.min(u.length, v.length);
    for (let i = 0; i < length; i += 1) v[i]! += factor * u[i]!;
  }
}

/** plane *= factor; see `Kernel.scalePlane`. */
function scalePlane(plane: Plane, factor: number): void {
  for (const table of [plane.state, plane.edges, plane.pairs]) {
    const numbers = table.view;
    for (let i = 0; i < numbers.length; i += 1) numbers[i]! *= factor;
  }
}
