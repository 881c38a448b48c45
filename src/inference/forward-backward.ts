import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import { scaledForwardBackward } from './scaled-forward-backward.js';

/** Scaled where that is safe (`auto`), or log space in any case. */
export type NumberSpace = 'auto' | 'log';

/**
 * Node and edge marginals of one sentence of a scored lattice; returns log Z.
 *
 * Runs the scaled recursion, and the log-space one where scaling would underflow. Afterwards
 * `lattice.nodes` holds p(y_t = y | x), `lattice.edges` p(y_{t-1} = y', y_t = y | x) for the tokens with
 * a slot and `lattice.transitions` their sum over the sentence. Cost O(T L^2).
 */
export function forwardBackward(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  space: NumberSpace = 'auto',
): number {
  if (space === 'auto' && !(lattice.closedEnds && startUnderflows(lattice, s))) {
    const logZ = scaledForwardBackward(kernel, lattice, s);
    if (!Number.isNaN(logZ)) return logZ;
  }
  return kernel.forwardBackwardLog(lattice, s);
}

/** What a label at the first token may be behind the best one: exp of it is above 2^-90. */
const mostBehind = 60;

/**
 * Whether the exponential of an allowed label at the first token might vanish: the kernel does not look
 * there where zeros are right.
 */
function startUnderflows(lattice: Lattice, s: number): boolean {
  const row = lattice.batch!.sentenceStarts[s]! * lattice.width;
  const scores = lattice.emissionScores.view;
  let most = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (let y = 0; y < lattice.labels; y += 1) {
    const score = scores[row + y]!;
    if (score > most) most = score;
    if (score < least && score !== Number.NEGATIVE_INFINITY) least = score;
  }
  return !(most - least <= mostBehind);
}
