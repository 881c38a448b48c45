import { Random } from '../../../../dist/engine/core/random.js';
import { scoreBatch } from '../../../../dist/engine/inference/score-batch.js';
import { Lattice } from '../../../../dist/engine/kernels/lattice.js';
import { createLearner, logLoss, sgd } from '../library.mjs';
import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { median } from '../timing/median.mjs';

/** Sentences that one clock reading covers: it must not cost what it measures. */
const slice = 64;

/** Functions of the kernel in training, on the corpus, one sentence a minibatch: time a token of each. */
export function profile({ corpus, spec, runs }) {
  const { model, batches: inOrder, tokens } = encodeCorpus(corpus.train, spec);
  // In the order of the file neighbours share rows; in training they do not.
  const order = new Random(1).shuffle(Uint32Array.from(inOrder.keys()));
  const batches = Array.from(order, i => inOrder[i]);
  model.parameters.layOutFor(model.labels.size);
  model.reserve();
  const { kernel, parameters } = model;
  const parts = { loss: logLoss(), optimizer: sgd(), corpusSize: batches.length };
  const learner = createLearner(model, parts);
  for (const minibatch of batches) learner.apply(learner.contribute(minibatch));
  const lattice = new Lattice(parameters.memory, parameters.precision);
  const path = new Int32Array(Math.max(...batches.map(batch => batch.tokens)));
  const works = {
    'score: sums of rows': batch => {
      lattice.open(parameters, batch);
      kernel.score(parameters, lattice);
    },
    exponentiate: batch => {
      scoreBatch(kernel, parameters, lattice, batch);
      kernel.exponentiate(lattice);
    },
    'forward-backward': batch => {
      scoreBatch(kernel, parameters, lattice, batch);
      kernel.exponentiate(lattice);
      kernel.forwardBackwardScaled(lattice, 0);
    },
    viterbi: batch => {
      scoreBatch(kernel, parameters, lattice, batch);
      kernel.viterbi(lattice, 0, path);
    },
    contribute: batch => learner.contribute(batch),
    'contribute and update': batch => {
      const contribution = learner.contribute(batch);
      kernel.accumulate(parameters, parameters.weights, contribution, 0, 1e-9);
    },
  };
  const seconds = Object.fromEntries(Object.keys(works).map(name => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const [name, work] of Object.entries(works)) seconds[name].push(timeOf(work, batches));
  }
  const of = name => median(seconds[name]);
  const scored = of('score: sums of rows');
  const rows = {
    'score: sums of rows': scored,
    'exponentials of scores and transitions': of('exponentiate') - scored,
    'forward-backward': of('forward-backward') - of('exponentiate'),
    viterbi: of('viterbi') - scored,
    'loss, residuals and the rest of contribute': of('contribute') - of('forward-backward'),
    'update: rows += step': of('contribute and update') - of('contribute'),
  };
  return {
    rows: Object.entries(rows).map(([what, time]) => ({
      ...{ group: 'profile', what, runs, seconds: time, tokens, ratios: {} },
    })),
  };
}

function timeOf(work, batches) {
  let total = 0;
  for (let from = 0; from < batches.length; from += slice) {
    const began = performance.now();
    for (const batch of batches.slice(from, from + slice)) work(batch);
    total += performance.now() - began;
  }
  return total / 1000;
}
