import { createLearner, logLoss, Model, sgd } from '../library.mjs';

/**
 * What makes ready, and gives, one pass of training over an encoded corpus, from weights of zero.
 *
 * @param {ReturnType<typeof import('./encode-corpus.mjs').encodeCorpus>} corpus
 * @param {object} options default: SGD with the log loss and the default kernel
 */
export function trainingPass(
  { model, batches },
  { loss = logLoss(), optimizer = sgd(), kernel } = {},
) {
  return () => {
    const { labels, stateIndex, edgeIndex } = model;
    const parts = { labels, stateIndex, edgeIndex, ...(kernel === undefined ? {} : { kernel }) };
    const fresh = new Model(model.spec, parts);
    fresh.reserve();
    const learner = createLearner(fresh, { loss, optimizer, corpusSize: batches.length });
    return () => {
      for (const minibatch of batches) learner.apply(learner.contribute(minibatch));
      return fresh;
    };
  };
}
