import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { defaultKernel } from '../../../../src/engine/models/kernels.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { votedPerceptron } from '../../../../src/engine/optimizers/voted-perceptron.js';
import { modelWith } from './model-with.js';

/** A learner that has gone over a corpus by the voted perceptron, a sentence at a time. */
export function trainVoted(
  corpus: readonly Sentence[],
  spec: Partial<ModelSpec> & Pick<ModelSpec, 'templates'>,
  { voters = 100, passes = 2, kernel = defaultKernel as Kernel } = {},
): Learner {
  const model = modelWith(kernel, spec);
  const encoded = settleCorpus(
    model,
    corpus.map(sentence => model.encode(sentence)),
  );
  const options = { voters };
  const learner = createOnlineLearner(model, {
    loss: perceptronLoss,
    optimizer: votedPerceptron,
    options,
  });
  for (let pass = 0; pass < passes; pass += 1) {
    for (const sentence of encoded) learner.apply(learner.contribute(packMinibatch([sentence])));
  }
  return learner;
}
