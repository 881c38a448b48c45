import * as tagstream from '../../dist/index.js';
import { corpus, templates } from './corpus.mjs';
import { time } from './median.mjs';

const { createLearner, createModel, packMinibatch, Decoder } = tagstream;

/** Microseconds a token of each stage, and how that compares with decoding. */
export async function stages(runs) {
  const sentences = corpus(1500);
  const tokens = sentences.reduce((sum, sentence) => sum + sentence.tokens.length, 0);
  const model = createModel({ templates });
  const encoded = sentences.map(sentence => model.encode(sentence));
  model.frozen = true;
  const rows = [];
  const measure = (stage, work) => rows.push([stage, (time(work, runs) * 1000) / tokens]);
  measure('featurize, features known', () => {
    for (const sentence of sentences) model.encode(sentence);
  });
  measure('featurize, all features new', () => {
    const fresh = createModel({ templates });
    for (const sentence of sentences) fresh.encode(sentence);
  });
  const batches = encoded.map(sentence => packMinibatch([sentence]));
  for (const [name, optimizer, loss, options = {}] of [
    ['train: log loss, sgd', tagstream.sgd, tagstream.logLoss],
    [
      'train: log loss, sgd averaged',
      tagstream.sgd,
      tagstream.logLoss,
      { average: true, averageAfter: 0 },
    ],
    ['train: log loss, sgd-l1', tagstream.sgdL1, tagstream.logLoss],
    ['train: perceptron, averaged', tagstream.perceptron, tagstream.perceptronLoss],
  ]) {
    measure(name, () => {
      const learner = createLearner(model, {
        loss,
        optimizer,
        options,
        corpusSize: batches.length,
      });
      for (const minibatch of batches) learner.apply(learner.contribute(minibatch));
    });
  }
  const decoder = new Decoder(model.kernel);
  measure('decode: viterbi', () => {
    for (const minibatch of batches) decoder.decode(model.parameters, minibatch);
  });
  const decoding = rows.at(-1)[1];
  return rows.map(([stage, micros]) => ({
    stage,
    micros,
    tokensPerSecond: 1e6 / micros,
    againstDecoding: micros / decoding,
  }));
}
