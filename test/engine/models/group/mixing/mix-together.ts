import { from, lastValueFrom, tap } from 'rxjs';
import { Random } from '../../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../../src/engine/core/sentence/sentence.js';
import type { CheckpointParts } from '../../../../../src/engine/core/training/state.js';
import type { Kernel } from '../../../../../src/engine/kernels/kernel.js';
import { logLoss } from '../../../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../../../src/engine/losses/perceptron-loss.js';
import { writeModel } from '../../../../../src/engine/models/files/model-file.js';
import { MixingLearner } from '../../../../../src/engine/models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../../../../src/engine/models/group/mixing/shard-executor.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../../src/engine/models/state/model-state.js';
import { checkpoint } from '../../../../../src/engine/operators/checkpoint.js';
import { featurize } from '../../../../../src/engine/operators/featurize.js';
import { mixPasses } from '../../../../../src/engine/operators/mixing/mix-passes.js';
import { optimizers } from '../../../../../src/engine/optimizers/optimizers.js';
import { MemoryCheckpointStore } from '../../../operators/memory-checkpoint-store.js';
import { smallCorpus } from '../../../optimizers/small-corpus.js';
import { digest } from '../../examples/digest.js';
import { modelWith } from '../../examples/model-with.js';
import type { Way } from '../train-together.js';
import { LocalExecutor } from './local-executor.js';

export const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]';
export const small = smallCorpus(new Random(81), 23, { labels: 5, words: 20, longest: 5 });

/** How shards are mixed. */
export interface Mixed {
  readonly kernel: Kernel;
  readonly shards: number;
  readonly sentences?: number;
  /** In this thread. */
  readonly workers?: number;
  readonly executor?: ShardExecutor;
  readonly epochs?: number;
  readonly shuffle?: boolean;
  readonly resumed?: CheckpointParts;
  readonly corpus?: readonly Sentence[];
}

/** Passes over the shards of a small corpus; what comes of them. */
export async function mixTogether(way: Way, given: Mixed) {
  const { kernel, shards, sentences = 1, resumed, corpus = small, workers = 1 } = given;
  const spec = { templates, columns: ['form', 'n'], ...way.spec };
  const model =
    resumed === undefined ? modelWith(kernel, spec) : restoreModelState(resumed.model!, kernel);
  const component = optimizers.find(({ name }) => name === way.optimizer)!;
  const learner = new MixingLearner(model, {
    loss: way.loss ?? (component.losses === undefined ? logLoss : perceptronLoss),
    optimizer: way.optimizer,
    options: component.options.parse(way.options ?? {}),
    ...{ shards, minibatches: { sentences }, seed: 3, shuffle: given.shuffle },
  });
  if (resumed !== undefined) learner.restore(resumed.learner!);
  const store = new MemoryCheckpointStore();
  const losses: number[] = [];
  await lastValueFrom(
    from(corpus).pipe(
      featurize(model),
      mixPasses(learner, {
        epochs: given.epochs ?? 3,
        executor: given.executor ?? new LocalExecutor(workers),
      }),
      tap(({ meanLoss }) => losses.push(meanLoss)),
      checkpoint(store, () => ({ model: saveModelState(model), learner: learner.save() }), {
        passes: 1,
      }),
    ),
  );
  return { bytes: digest(writeModel(learner)), losses, store, learner, model };
}
