import { packMinibatch } from '../../../../dist/engine/core/minibatch/pack-minibatch.js';
import { logLoss } from '../../../../dist/engine/losses/log-loss.js';
import { kernels } from '../../../../dist/engine/models/kernels.js';
import { settleCorpus } from '../../../../dist/engine/models/learning/settle-corpus.js';
import { Model } from '../../../../dist/engine/models/model.js';
import { Lbfgs, lbfgs } from '../../../../dist/engine/trainers/lbfgs/lbfgs.js';
import { Objective } from '../../../../dist/engine/trainers/objective.js';
import { ThreadGroup } from '../../../../dist/runtime/workers/thread-group.js';
import { tokenCount } from '../corpus/token-count.mjs';
import { median } from '../timing/median.mjs';

/** Iterations before those that are timed: the compilers are not done with the first ones. */
const warm = 3;

/**
 * An iteration of L-BFGS over observed pairs in one thread and in two, in turn; the ratio is the median of
 * those of the pairs. Both make the same steps.
 */
export async function objective({ corpus, spec, runs }) {
  const threads = new ThreadGroup(2);
  const single = begin(corpus.train, spec);
  const double = begin(corpus.train, spec, threads);
  const seconds = { single: [], double: [], ratios: [] };
  for (let i = 0; i < runs + warm; i += 1) {
    const one = secondsOf(single);
    const two = secondsOf(double);
    if (i < warm) continue;
    seconds.single.push(one);
    seconds.double.push(two);
    seconds.ratios.push(one / two);
  }
  await threads.close();
  const name = 'an iteration of L-BFGS in one thread';
  const row = { group: 'objective', runs, tokens: tokenCount(corpus.train) };
  const ratios = { [name]: 1 / median(seconds.ratios) };
  return {
    rows: [
      { ...row, what: name, seconds: median(seconds.single), ratios: {} },
      { ...row, what: 'the same in two threads', seconds: median(seconds.double), ratios },
    ],
  };
}

function begin(sentences, spec, group) {
  const kernel = kernels.simd64;
  const index = { mode: 'exact', cutoff: 1 };
  const model = new Model({ ...spec, index, support: 'observed' }, { kernel });
  const encoded = sentences.map(sentence => model.encode(sentence));
  const settled = settleCorpus(model, encoded);
  model.reserve();
  const { parameters } = model;
  const given = { kernel, parameters, corpus: [packMinibatch(settled)], loss: logLoss, group };
  return new Lbfgs(
    lbfgs.options.parse({ decrease: 0, tolerance: 0 }),
    new Objective({ ...given, l2: 1 }),
  );
}

function secondsOf(trainer) {
  const began = performance.now();
  trainer.iterate();
  return (performance.now() - began) / 1000;
}
