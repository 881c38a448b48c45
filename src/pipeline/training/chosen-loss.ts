import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/schema/suggestion.js';
import type { Loss } from '../../losses/loss.js';
import { lossComponents } from '../../losses/loss-components.js';
import { fitsScorer, requireFitting } from '../../losses/require-fitting.js';
import { losses } from '../catalogue/losses.js';
import { Checker } from '../file/check.js';
import { unfitLoss } from '../learners/learner-of.js';
import { chosenOf, oneOf } from '../options/one-of.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/**
 * The loss that is asked for, or the first one that scorer and optimizer go with.
 *
 * @param outside the number of the label `O`, see `LossContext`
 * @throws TagstreamError `config` where there is none, its options are wrong, or it does not train models with the scorer
 */
export function chosenLoss(
  { loss }: Pick<TrainRequest, 'loss'>,
  { trainer, scorer }: Pick<CheckedRequest, 'trainer' | 'scorer'>,
  outside: () => number,
): Loss {
  if (isLoss(loss)) {
    requireFitting(loss, scorer);
    return loss.inTraining?.({ outside }) ?? loss;
  }
  if (typeof loss === 'object') return withOptions(loss, scorer, outside);
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

function isLoss(loss: TrainRequest['loss']): loss is Loss {
  return typeof loss === 'object' && 'apply' in loss;
}

/** A loss by its name and options, as a pipeline file gives them. */
function withOptions(
  given: Readonly<Record<string, object>>,
  scorer: CheckedRequest['scorer'],
  outside: () => number,
): Loss {
  const checker = new Checker({ value: { loss: given }, place: () => ({}) });
  const { loss } = checker.parse(z.strictObject({ loss: oneOf(lossComponents) }), { loss: given });
  const { component, options } = chosenOf(lossComponents, loss);
  const made = component.create(options as never, { outside });
  requireFitting(made, scorer);
  return made;
}
