import { from, lastValueFrom, type Observable, tap } from 'rxjs';
import { Random } from '../../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../../src/engine/core/sentence/sentence.js';
import type { CheckpointParts } from '../../../../../src/engine/core/training/state.js';
import type { TrainingStep } from '../../../../../src/engine/core/training/training-step.js';
import type { Kernel } from '../../../../../src/engine/kernels/kernel.js';
import { logLoss } from '../../../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../../../src/engine/losses/perceptron-loss.js';
import { createModel } from '../../../../../src/engine/models/create-model.js';
import { writeModel } from '../../../../../src/engine/models/files/model-file.js';
import { MixingLearner } from '../../../../../src/engine/models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../../../../src/engine/models/group/mixing/shard-executor.js';
import type { GrowthLimit } from '../../../../../src/engine/models/growth-limit.js';
import { Learner } from '../../../../../src/engine/models/learning/learner.js';
import { Model } from '../../../../../src/engine/models/model.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../../src/engine/models/state/model-state.js';
import { batch } from '../../../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../../../src/engine/operators/contribute.js';
import { featurize } from '../../../../../src/engine/operators/featurize.js';
import { mixRounds } from '../../../../../src/engine/operators/mixing/mix-rounds.js';
import { optimize } from '../../../../../src/engine/operators/optimize.js';
import { optimizers } from '../../../../../src/engine/optimizers/optimizers.js';
import { MemoryCheckpointStore } from '../../../operators/memory-checkpoint-store.js';
import { smallCorpus } from '../../../optimizers/small-corpus.js';
import { digest } from '../../examples/digest.js';
import type { Way } from '../train-together.js';
import { LocalExecutor } from './local-executor.js';
import { templates } from './mix-together.js';

/** Sentences in which labels and words come late, some with an id. */
export const stream: readonly Sentence[] = [
  ...smallCorpus(new Random(91), 17, { labels: 3, words: 8, longest: 4 }),
  ...smallCorpus(new Random(92), 30, { labels: 9, words: 30, longest: 6 }),
].map((sentence, i) => {
  const id = i % 3 === 0 ? {} : { id: `of ${i % 7}` };
  return { ...sentence, document: { ...sentence.document, ...id } };
});

/** How a stream is learned from. */
export interface Split {
  readonly kernel: Kernel;
  readonly shards: number;
  readonly every: number;
  readonly workers?: number;
  readonly executor?: ShardExecutor;
  readonly resumed?: CheckpointParts;
  readonly sentences?: number;
  readonly limit?: GrowthLimit;
  readonly source?: readonly Sentence[];
  /** Sentences that the model has met before. */
  readonly met?: readonly Sentence[];
  readonly onEncoded?: () => void;
  readonly predict?: boolean;
}

/** N of the stream. */
const size = 40;

function partsOf(way: Way, { kernel, limit, resumed }: Split) {
  const spec = createModel({ templates, columns: ['form', 'n'], ...way.spec }).spec;
  const model =
    resumed === undefined
      ? new Model(spec, { kernel, limit })
      : restoreModelState(resumed.model!, kernel, limit);
  const component = optimizers.find(({ name }) => name === way.optimizer)!;
  const loss = way.loss ?? (component.losses === undefined ? logLoss : perceptronLoss);
  return { model, component, loss, options: component.options.parse(way.options ?? {}) };
}

/** Rounds of a small stream; what comes of them. */
export async function mixStream(way: Way, given: Split) {
  const { model, loss, options } = partsOf(way, given);
  for (const sentence of given.met ?? []) model.encode(sentence);
  const learner = new MixingLearner(model, {
    ...{ loss, optimizer: way.optimizer, options, shards: given.shards },
    ...{ minibatches: { sentences: given.sentences ?? 1 }, streamSize: size },
  });
  if (given.resumed !== undefined) learner.restore(given.resumed.learner!);
  const evicted: number[] = [];
  learner.onEvicted = features => evicted.push(features);
  const store = new MemoryCheckpointStore();
  const steps: TrainingStep[] = [];
  const encode = (source: Observable<Sentence>) =>
    source.pipe(
      featurize(model),
      tap(() => given.onEncoded?.()),
    );
  await lastValueFrom(
    from((given.source ?? stream).slice(learner.sentencesSeen)).pipe(
      mixRounds(learner, {
        ...{ every: given.every, encode, predict: given.predict },
        executor: given.executor ?? new LocalExecutor(given.workers),
      }),
      tap(step => steps.push(step)),
      checkpoint(store, () => ({ model: saveModelState(model), learner: learner.save() }), {
        sentences: 1,
      }),
    ),
  );
  return { bytes: digest(writeModel(learner)), steps, store, evicted };
}

/** One learner of the same stream. */
export async function learnStream(way: Way, given: Split) {
  const { model, component, loss, options } = partsOf(way, given);
  const { kernel, parameters } = model;
  for (const sentence of given.met ?? []) model.encode(sentence);
  const create = (corpusSize: number) =>
    component.create(options as never, { kernel, parameters, corpusSize, endless: true });
  const learner = new Learner(model, loss, create, size);
  const predicted: number[] = [];
  await lastValueFrom(
    from(given.source ?? stream).pipe(
      featurize(model),
      batch({ sentences: given.sentences ?? 1 }),
      contribute(learner, { predict: true }),
      tap(contribution => predicted.push(...contribution.predicted!)),
      optimize(learner),
    ),
  );
  return { bytes: digest(writeModel(learner)), predicted };
}
