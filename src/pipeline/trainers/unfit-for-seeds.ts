import type { ScorerName } from '../../core/scorer-name.js';
import type { TrainOptions } from '../options/train-options.js';

/** What decides whether the weights of several seeds have a mean that is a model. */
export interface SeededTraining
  extends Partial<
    Pick<TrainOptions, 'seeds' | 'epochs' | 'shuffle' | 'dropout' | 'mode' | 'start' | 'cluster'>
  > {
  readonly scorer: ScorerName;
  readonly hasHidden: boolean;
  readonly optimizer: string;
  /** Whether it is a batch optimizer. */
  readonly iterates: boolean;
  /** Whether its weights vote. */
  readonly votes: boolean;
  /** Whether it ends training by itself. */
  readonly untilSeparated: boolean;
  /** Whether scores of held-out data say which weights are kept. */
  readonly keepsBest: boolean;
}

/** Why a training cannot be made with several seeds; undefined where it can, or is not to be. */
export function unfitForSeeds(
  training: SeededTraining,
): { readonly problem: string; readonly fix: string } | undefined {
  const { seeds = 1, epochs, shuffle = true, dropout = 0, optimizer, scorer } = training;
  if (seeds === 1) return undefined;
  const unfit = (problem: string, fix: string) => ({ problem, fix: `${fix}, or leave seeds out` });
  if (epochs === undefined) {
    return unfit('several seeds need a corpus in memory, not a stream', 'give train.epochs');
  }
  if (training.iterates) {
    const problem = `the batch optimizer ${optimizer} uses no seed that it could be trained with again`;
    return unfit(problem, 'use an online optimizer as sgd');
  }
  if (training.cluster !== undefined) {
    return unfit('many machines train with one seed', 'leave cluster out');
  }
  if (scorer !== 'linear') {
    return unfit(`the scorer ${scorer} has no mean of several models`, 'use the scorer linear');
  }
  if (training.hasHidden) {
    return unfit('hidden states differ from seed to seed and have no mean', 'leave hidden out');
  }
  if (training.votes) {
    const problem = `the weights of the optimizer ${optimizer} vote, and have no mean`;
    return unfit(problem, 'use perceptron');
  }
  if (training.untilSeparated) {
    return unfit('each seed makes all its passes', 'leave untilSeparated out');
  }
  if (training.mode === 'hogwild') {
    return unfit('in the mode hogwild no order follows from a seed', 'use mode: deterministic');
  }
  if (training.start !== undefined) {
    return unfit('each seed starts with weights of zero', 'leave start out');
  }
  if (training.keepsBest) {
    const problem = 'the mean is of the last weights of each seed, not of the best ones';
    return unfit(problem, 'leave patience and best out of evaluate');
  }
  if (shuffle || dropout > 0) return undefined;
  return unfit('without shuffle and dropout all seeds give the same weights', 'use shuffle');
}
