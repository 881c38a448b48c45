import { TagstreamError } from '../../core/errors.js';
import { trainers } from '../catalogue/trainers.js';
import { isBatch } from '../learners/learner-of.js';
import { chosenOf } from '../options/one-of.js';
import { growsTrees, unfitForTrees } from '../trainers/grows-trees.js';
import { unfitGrowing } from '../trainers/unfit-training.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/** @throws TagstreamError `config` where a request has settings that do not go with the scorer trees, or trees without it */
export function requireGrowing(
  { group }: Pick<TrainRequest, 'group'>,
  { scorer, trainer, threshold, compact }: CheckedRequest,
): void {
  const [name] = Object.keys(trainer);
  const grows = isBatch(trainer) && growsTrees(chosenOf(trainers, trainer));
  const unfit = unfitForTrees(name!, scorer, grows);
  if (unfit !== undefined) {
    throw new TagstreamError('config', `trainer: ${unfit.problem}`, { fix: unfit.fix });
  }
  if (!grows) return;
  const refused = unfitGrowing({ threshold, compact });
  if (refused !== undefined) {
    const { setting, problem, fix } = refused;
    throw new TagstreamError('config', `${setting}: ${problem}`, { fix });
  }
  if (group === undefined) return;
  throw new TagstreamError('config', 'group: trees are grown by one thread', {
    fix: 'leave it out',
  });
}
