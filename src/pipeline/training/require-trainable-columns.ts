import { TagstreamError } from '../../core/errors.js';
import { trainers } from '../catalogue/trainers.js';
import { chosenOf } from '../options/one-of.js';
import { unfitForColumns } from '../trainers/unfit-for-columns.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/** @throws TagstreamError `config` where a request has settings that do not go with tags of two layers, or words of a code */
export function requireTrainableColumns(
  { group }: Pick<TrainRequest, 'group'>,
  { layers, codes, hidden, scorer, trainer }: CheckedRequest,
): void {
  const [optimizer] = Object.keys(trainer);
  const isBatch = trainers.some(({ name }) => name === optimizer);
  const unfit = unfitForColumns({
    ...{ layers, codes, scorer, hidden, optimizer: optimizer!, hasCorpus: true },
    trainer: isBatch ? chosenOf(trainers, trainer) : undefined,
    workers: group === undefined ? 1 : 2,
  });
  if (unfit === undefined) return;
  const names: Readonly<Record<string, string>> = { optimize: 'trainer', workers: 'group' };
  const setting = names[unfit.setting] ?? unfit.setting;
  throw new TagstreamError('config', `${setting}: ${unfit.problem}`, { fix: unfit.fix });
}
