import type { Loss } from '../loss.js';
import { BoundedLoss } from '../residuals/bounded-exponential.js';
import { pointwiseLoss } from './pointwise-loss.js';

/**
 * The pointwise exponential loss, sum_t (1 / p(y*_t | x) - 1), of the chain's marginals.
 *
 * Residuals: sum_t (1 / p_t) (E[F] - E[F | y_t = y*_t]); tokens with p_t below exp(-bound): see
 * `BoundedExponential`; partially labelled sentences: see `pointwiseLoss`. Not convex for more than
 * one token. Same cost as the pointwise log loss. Altun, Johnson and Hofmann (2003), section 3.3.
 *
 * @throws TagstreamError `config` if the bound exceeds the range of the kernel's numbers
 */
export class PointwiseExponentialLoss extends BoundedLoss implements Loss {
  readonly name = 'pointwise-exponential';
  readonly summary = 'sum over tokens of 1 / p(y_t | x) - 1, each label on its own';
  readonly example = 'contribute: { loss: pointwise-exponential }';
  readonly predicts = false;
  readonly smooth = true;

  apply: Loss['apply'] = (kernel, lattice, s, gold) => {
    this.exponential.requireRoom(kernel.precision);
    return pointwiseLoss(kernel, lattice, s, gold, this.exponential);
  };
}

/** The pointwise exponential loss with the bound 10. */
export const pointwiseExponentialLoss: Loss = new PointwiseExponentialLoss();
