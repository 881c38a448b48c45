import { packMinibatch } from '../../../src/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../../src/core/sentence/sentence.js';
import type { Kernel } from '../../../src/kernels/kernel.js';
import { perceptronLoss } from '../../../src/losses/perceptron-loss.js';
import { defaultKernel } from '../../../src/models/kernels.js';
import { createOnlineLearner, type Learner } from '../../../src/models/learning/learner.js';
import { settleCorpus } from '../../../src/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../../src/models/model-spec.js';
import { votedPerceptron } from '../../../src/optimizers/voted-perceptron.js';
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
