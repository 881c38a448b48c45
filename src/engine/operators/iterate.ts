import type { OperatorFunction } from 'rxjs';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { BatchLearner } from '../models/learning/batch-learner.js';
import { overCorpus } from './corpus/over-corpus.js';
import { unhurried } from './unhurried.js';

/** The limits of a batch optimizer. */
export interface IterateOptions {
  /** Maximum number of iterations; the optimizer may converge earlier. */
  readonly iterations: number;
  /** Receives the corpus before the first iteration. */
  readonly onSettled?: (corpus: readonly EncodedSentence[]) => void;
}

/**
 * Returns an operator that collects a whole corpus and emits one step per iteration of a batch optimizer.
 *
 * The objective is summed in the order of the corpus, without shuffling. A restored learner resumes after its last iteration.
 *
 * @param learner a learner with a batch optimizer
 * @param options the maximum number of iterations
 * @throws TagstreamError `config` for an unknown option; the stream fails with `empty-sentence` if no sentence is labelled, and
 *   with `numeric` if a loss is not finite
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
      // Lets a stop request be processed after the current iteration.
      return unhurried(steps(learner, iterations), 1);
    });
}

function* steps(learner: BatchLearner, most: number): Generator<TrainingStep> {
  while (!learner.ended && learner.iterations < most) yield learner.iterate();
}
