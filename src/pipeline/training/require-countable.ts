import { TagstreamError } from '../../core/errors.js';
import { unfitTraining } from '../trainers/unfit-training.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/** @throws TagstreamError `config` where a request has settings that do not go with the scorer hmm, or counts without it */
export function requireCountable(
  { group }: Pick<TrainRequest, 'group'>,
  { scorer, trainer, dropout, threshold, compact }: CheckedRequest,
): void {
  const [name] = Object.keys(trainer);
  if ((name === 'counts') !== (scorer === 'hmm')) {
    throw new TagstreamError(
      'config',
      `trainer: the optimizer ${name} does not train models with the scorer ${scorer}`,
      { fix: name === 'counts' ? 'use the scorer hmm' : 'use { counts: {} }, or another scorer' },
    );
  }
  if (scorer !== 'hmm') return;
  const refused = unfitTraining({ dropout, threshold, compact });
  if (refused !== undefined) {
    const { setting, problem, fix } = refused;
    throw new TagstreamError('config', `${setting}: ${problem}`, { fix });
  }
  if (group === undefined) return;
  throw new TagstreamError('config', 'group: the scorer hmm is counted by one thread', {
    fix: 'leave it out',
  });
}
