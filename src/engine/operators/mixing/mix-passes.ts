import { Observable, type OperatorFunction } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import type { MixingLearner } from '../../models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../models/group/mixing/shard-executor.js';
import { overCorpus } from '../corpus/over-corpus.js';

/** The number of passes over shards, and how they are run. */
export interface MixPassesOptions {
  /** Number of passes through the corpus. */
  readonly epochs: number;
  /** Runs the passes over the shards. */
  readonly executor: ShardExecutor;
  /** Receives the corpus before the first pass. */
  readonly onSettled?: (corpus: readonly EncodedSentence[]) => void;
}

/**
 * Returns an operator that collects a whole corpus, deals it out to shards, and emits a step for each pass over all
 * shards: iterative parameter mixing, see `Mixer`. A restored learner resumes after its last pass.
 *
 * @throws TagstreamError `empty-sentence` if there is no labelled sentence, `config` for more shards than sentences,
 *   `numeric` if a loss is not finite
 */
export function mixPasses(
  learner: MixingLearner,
  { epochs, executor, onSettled }: MixPassesOptions,
): OperatorFunction<EncodedSentence, TrainingStep> {
  return source =>
    overCorpus(
      learner.model,
      source,
      'passes',
      corpus =>
        new Observable<TrainingStep>(subscriber => {
          const steps = async () => {
            onSettled?.(corpus);
            await learner.begin(corpus, executor);
            while (learner.passes < epochs && !subscriber.closed) {
              const step = await learner.pass();
              subscriber.next(step);
            }
          };
          steps().then(
            () => subscriber.complete(),
            error => subscriber.error(error),
          );
        }),
    );
}
