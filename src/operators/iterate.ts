import type { OperatorFunction } from 'rxjs';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { BatchLearner } from '../models/learning/batch-learner.js';
import { overCorpus } from './corpus/over-corpus.js';
import { unhurried } from './unhurried.js';

/** The limits of a batch optimizer. */
export interface IterateOptions {
  /** Maximum number of iterations; it may converge earlier. */
  readonly iterations: number;
  /** Given the corpus itself before the first iteration. */
  readonly onSettled?: (corpus: readonly EncodedSentence[]) => void;
}

/**
 * Collects a whole corpus, and emits a step for each iteration of a batch optimizer over it.
 *
 * The objective is summed in the order of the corpus: there is no shuffling. A learner that was restored
 * resumes after the iterations that it has made.
 *
 * @throws TagstreamError `empty-sentence` if there is no labelled sentence, `numeric` where a loss is not
 *   finite
 */
export function iterate(
  learner: BatchLearner,
  options: IterateOptions,
): OperatorFunction<EncodedSentence, TrainingStep> {
  requireArgument('iterate: the learner', learner, kinds.batchLearner);
  requireKnown('iterate', options, ['iterations', 'onSettled']);
  const { iterations, onSettled } = options;
  requireArgument('iterate.iterations', iterations, kinds.count);
  return source =>
    overCorpus(learner.model, source, 'iterate', corpus => {
      onSettled?.(corpus);
      learner.begin(corpus);
      // A stop is to be heard after the current iteration.
      return unhurried(steps(learner, iterations), 1);
    });
}

function* steps(learner: BatchLearner, most: number): Generator<TrainingStep> {
  while (!learner.ended && learner.iterations < most) yield learner.iterate();
}
