import { TagstreamError } from '../../core/errors.js';
import { presetWithoutTables } from '../../models/unfit-for-tables.js';
import { countedOptimizers, unlabelledWithoutEm } from '../trainers/counted-optimizers.js';
import { unfitTraining } from '../trainers/unfit-training.js';
import type { CheckedRequest, TrainRequest } from './train-request.js';

/** @throws TagstreamError `config` where a request has settings that do not go with the scorer hmm, or counts without it */
export function requireCountable(
  { group }: Pick<TrainRequest, 'group'>,
  { scorer, trainer, features, dropout, threshold, temperature, compact, epochs }: CheckedRequest,
): void {
  const [name] = Object.keys(trainer);
  const isCounted = countedOptimizers.includes(name!);
  if (isCounted !== (scorer === 'hmm')) {
    throw new TagstreamError(
      'config',
      `trainer: the optimizer ${name} does not train models with the scorer ${scorer}`,
      { fix: isCounted ? 'use the scorer hmm' : 'use { counts: {} }, or another scorer' },
    );
  }
  if (features.unlabelled !== undefined && (!isCounted || name === 'counts' || name === 'mmi')) {
    const { problem, fix } = unlabelledWithoutEm;
    throw new TagstreamError('config', `features.unlabelled: ${problem}`, { fix });
  }
  if (scorer !== 'hmm') return;
  if (features.preset !== undefined) {
    throw new TagstreamError('config', `features.preset: ${presetWithoutTables.problem}`, {
      fix: presetWithoutTables.fix,
    });
  }
  const refused = unfitTraining({ dropout, threshold, temperature, compact, epochs }, name);
  if (refused !== undefined) {
    const { setting, problem, fix } = refused;
    throw new TagstreamError('config', `${setting}: ${problem}`, { fix });
  }
  if (group === undefined) return;
  throw new TagstreamError('config', 'group: the scorer hmm is counted by one thread', {
    fix: 'leave it out',
  });
}
