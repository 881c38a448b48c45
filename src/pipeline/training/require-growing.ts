import { TagstreamError } from '../../core/errors.js';
import { trainers } from '../catalogue/trainers.js';
import { isBatch } from '../learners/learner-of.js';
import { chosenOf } from '../options/one-of.js';
import { madeScorer, unfitForScorer } from '../trainers/made-scorer.js';
import { unfitGrowing } from '../trainers/unfit-training.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/** @throws TagstreamError `config` where a request has settings that do not go with the scorer that its trainer makes, or one without the other */
export function requireGrowing(
  { group }: Pick<TrainRequest, 'group'>,
  { scorer, trainer, threshold, temperature, compact }: CheckedRequest,
): void {
  const [name] = Object.keys(trainer);
  const makes = isBatch(trainer) ? madeScorer(chosenOf(trainers, trainer)) : undefined;
  const unfit = unfitForScorer(name!, scorer, makes);
  if (unfit !== undefined) {
    throw new TagstreamError('config', `trainer: ${unfit.problem}`, { fix: unfit.fix });
  }
  if (makes === undefined) return;
  const refused = unfitGrowing(scorer, { threshold, temperature, compact });
  if (refused !== undefined) {
    const { setting, problem, fix } = refused;
    throw new TagstreamError('config', `${setting}: ${problem}`, { fix });
  }
  if (group === undefined) return;
  throw new TagstreamError(
    'config',
    `group: models with the scorer ${scorer} are trained by one thread`,
    {
      fix: 'leave it out',
    },
  );
}
