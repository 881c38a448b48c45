import { TagstreamError } from '../../core/errors.js';
import { trainers } from '../catalogue/trainers.js';
import { chosenOf } from '../options/one-of.js';
import { unfitForStates } from '../trainers/unfit-for-states.js';
import type { CheckedRequest } from './train-request.js';

/** @throws TagstreamError `config` where a request has settings that do not go with hidden states */
export function requireTrainableStates({ hidden, scorer, trainer }: CheckedRequest): void {
  if (hidden === undefined) return;
  const isBatch = trainers.some(({ name }) => Object.hasOwn(trainer, name));
  const unfit = unfitForStates({
    scorer,
    name: Object.keys(trainer)[0]!,
    trainer: isBatch ? chosenOf(trainers, trainer) : undefined,
    hasCorpus: true,
  });
  if (unfit === undefined) return;
  const setting = unfit.setting === 'optimize' ? 'trainer' : unfit.setting;
  throw new TagstreamError('config', `${setting}: ${unfit.problem}`, { fix: unfit.fix });
}
