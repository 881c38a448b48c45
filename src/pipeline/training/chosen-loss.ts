import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/schema/suggestion.js';
import type { Loss } from '../../losses/loss.js';
import { fitsScorer, requireFitting } from '../../losses/require-fitting.js';
import { losses } from '../catalogue/losses.js';
import { unfitLoss } from '../learners/learner-of.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/**
 * The loss that is asked for, or the first one that scorer and optimizer go with.
 *
 * @throws TagstreamError `config` where there is none, or it does not train models with the scorer
 */
export function chosenLoss(
  { loss }: Pick<TrainRequest, 'loss'>,
  { trainer, scorer }: Pick<CheckedRequest, 'trainer' | 'scorer'>,
): Loss {
  if (typeof loss === 'object') return loss;
  const fitting = losses.filter(each => fitsScorer(each, scorer));
  if (loss === undefined) {
    const first = fitting.find(each => unfitLoss(trainer, each) === undefined);
    if (first !== undefined) return first;
    const [name] = Object.keys(trainer);
    throw new TagstreamError(
      'config',
      `trainer: the optimizer ${name} goes with no loss of the scorer ${scorer}`,
      { fix: scorer === 'hmm' ? 'use counts' : 'use sgd, or the scorer linear' },
    );
  }
  const found = losses.find(({ name }) => name === loss);
  if (found !== undefined) {
    requireFitting(found, scorer);
    return found;
  }
  const names = fitting.map(({ name }) => name);
  throw new TagstreamError('config', `loss: there is no loss "${loss}"`, {
    fix: suggestion(loss, names),
  });
}
