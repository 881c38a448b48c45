import type { Lattice } from '../kernels/lattice.js';
import type { Loss } from './loss.js';
import { bestAllowed, isPartial } from './partial/allowed.js';
import { addPath, clearResiduals } from './residuals/residuals.js';

/**
 * The structured perceptron's loss, max_y score(y) - score(y*).
 *
 * Residuals: [yhat_t = y] - [y*_t = y] with the Viterbi labels yhat; all zero if yhat is correct. For a partially
 * labelled sentence, y* is the best allowed label sequence. Cost O(T L^2) per sentence. Collins (2002).
 *
 * The margin is minus the loss, score(y*) - max_y score(y): at most 0, because the second-best labels are not searched
 * for.
 */
export const perceptronLoss: Loss = {
  name: 'perceptron',
  summary: 'score of the best labels minus score of the gold labels, for the structured perceptron',
  example: 'contribute: { loss: perceptron }',
  predicts: true,
  exclusive: true,
  smooth: false,
  anyStructure: true,
  scorers: ['linear'],
  margin: loss => Math.min(0, 0 - loss),
  apply(kernel, lattice, s, gold, predicted) {
    const best = kernel.viterbi(lattice, s, predicted);
    const aim = isPartial(lattice.batch!, s) ? bestAllowed(kernel, lattice, s) : gold;
    clearResiduals(lattice, s);
    if (!differs(lattice, s, predicted, aim)) return 0;
    addPath(lattice, s, predicted, 1);
    addPath(lattice, s, aim, -1);
    return best - kernel.pathScore(lattice, s, aim);
  },
};

/** Returns whether two label sequences of a sentence differ. */
function differs({ batch }: Lattice, s: number, path: Int32Array, other: Int32Array): boolean {
  const { sentenceStarts } = batch!;
  const end = sentenceStarts[s + 1]!;
  let t = sentenceStarts[s]!;
  while (t < end && path[t] === other[t]) t += 1;
  return t < end;
}
