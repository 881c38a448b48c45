import { TagstreamError } from '../../core/errors.js';
import { optimizers } from '../catalogue/optimizers.js';
import { unfitForSeeds } from '../trainers/unfit-for-seeds.js';
import type { CheckedRequest } from './train-request.js';

/** @throws TagstreamError `config` where several seeds are asked for, and their weights have no mean */
export function requireMean(
  { trainer, scorer, hidden, seeds, shuffle, dropout, mode, patience }: CheckedRequest,
  { epochs, iterates }: { readonly epochs: number; readonly iterates: boolean },
): void {
  const [optimizer = ''] = Object.keys(trainer);
  const { untilSeparated } = Object.values(trainer)[0] as { readonly untilSeparated?: boolean };
  const unfit = unfitForSeeds({
    ...{ seeds, shuffle, dropout, mode, epochs, scorer, optimizer, iterates },
    hasHidden: hidden !== undefined,
    votes: optimizers.some(({ name, votes }) => name === optimizer && votes === true),
    untilSeparated: untilSeparated === true,
    keepsBest: patience !== undefined,
  });
  if (unfit === undefined) return;
  throw new TagstreamError('config', `seeds: ${unfit.problem}`, { fix: unfit.fix });
}
