import * as tagstream from '../../dist/index.js';
import { corpus, templates } from './corpus.mjs';
import { time } from './median.mjs';

/** How the time of a training pass grows with the corpus and with the labels. */
export function growth(runs) {
  const tokens = [1, 2, 4, 8].map(times => ({
    what: `x${times}`,
    micros: trainingTime(corpus(500 * times, { seed: 2 }), runs),
  }));
  const labels = [8, 16, 32, 64].map(count => ({
    what: String(count),
    micros: trainingTime(corpus(300, { labels: count, seed: 3 }), runs),
  }));
  const against = rows => rows.map(row => ({ ...row, ratio: row.micros / rows[0].micros }));
  return { tokens: against(tokens), labels: against(labels) };
}

/** Microseconds a token of one pass of SGD. */
function trainingTime(sentences, runs) {
  const tokens = sentences.reduce((sum, sentence) => sum + sentence.tokens.length, 0);
  const model = tagstream.createModel({ templates });
  const encoded = sentences.map(sentence => model.encode(sentence));
  const batches = encoded.map(sentence => tagstream.packMinibatch([sentence]));
  const { logLoss: loss, sgd: optimizer } = tagstream;
  const work = () => {
    const learner = tagstream.createLearner(model, { loss, optimizer, corpusSize: batches.length });
    for (const minibatch of batches) learner.apply(learner.contribute(minibatch));
  };
  return (time(work, runs) * 1000) / tokens;
}
