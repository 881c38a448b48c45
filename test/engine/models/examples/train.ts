import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { defaultKernel } from '../../../../src/engine/models/kernels.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { type SgdOptions, sgd } from '../../../../src/engine/optimizers/sgd.js';
import { modelWith } from './model-with.js';

/** How a model of a test is trained. */
export interface TrainOptions {
  readonly spec: Partial<ModelSpec> & Pick<ModelSpec, 'templates'>;
  readonly passes?: number;
  readonly seed?: number;
  readonly options?: Partial<SgdOptions>;
  readonly kernel?: Kernel;
}

/** A learner that has gone over a corpus by SGD on the log loss, a sentence at a time. */
export function train(
  corpus: readonly Sentence[],
  { spec, passes = 3, seed = 1, options = {}, kernel = defaultKernel }: TrainOptions,
): Learner {
  const model = modelWith(kernel, spec);
  const encoded = settleCorpus(
    model,
    corpus.map(sentence => model.encode(sentence)),
  );
  const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, options });
  const random = new Random(seed);
  for (let pass = 0; pass < passes; pass += 1) {
    for (const i of random.shuffle(Uint32Array.from(encoded.keys()))) {
      learner.apply(learner.contribute(packMinibatch([encoded[i]!])));
    }
  }
  return learner;
}
