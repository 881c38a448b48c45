import { logLoss } from './log-loss.js';
import type { Loss } from './loss.js';
import { BoundedLoss } from './residuals/bounded-exponential.js';
import { scaleResiduals } from './residuals/residuals.js';

/**
 * The sequential exponential loss, sum_{y != y*} exp(score(y) - score(y*)) = 1 / p(y* | x) - 1.
 *
 * Residuals: those of the log loss times 1 / p(y* | x); for a partially labelled sentence, p is the
 * probability of the allowed labels. Convex. The factor is computed from the final log loss, and is reduced
 * for sentences with p below exp(-bound): see `BoundedExponential`. Cost O(T L^2) per sentence. Altun, Johnson
 * and Hofmann (2003), section 3.3.
 *
 * @throws TagstreamError `config` if the bound exceeds the range of the kernel's numbers
 */
export class ExponentialLoss extends BoundedLoss implements Loss {
  readonly name = 'exponential';
  readonly summary = '1 / p(y | x) - 1, which weights sentences by their error';
  readonly example = 'contribute: { loss: exponential }';
  readonly predicts = false;
  readonly smooth = true;

  apply: Loss['apply'] = (kernel, lattice, s, gold, predicted) => {
    this.exponential.requireRoom(kernel.precision);
    const l = logLoss.apply(kernel, lattice, s, gold, predicted);
    scaleResiduals(lattice, s, this.exponential.weight(l));
    return this.exponential.loss(l);
  };
}

/** The sequential exponential loss with the bound 10. */
export const exponentialLoss: Loss = new ExponentialLoss();
