// A process that counts the labels of a file of chunks for a hidden Markov model of words, pass after pass from
// nothing, and prints the seconds of each. Sentences are encoded before, in minibatches of 32, and what that leaves
// behind is collected where Node was started with --expose-gc.

import { readFileSync } from 'node:fs';
import { readChunkColumns } from '../corpus/chunk-columns.mjs';
import {
  counts,
  createLearner,
  createModel,
  jointLoss,
  kernels,
  Model,
  packMinibatch,
} from '../library.mjs';
import { median } from '../timing/median.mjs';

const [file, wanted = '5'] = process.argv.slice(2);
const together = 32;

const model = createModel({ templates: 'U0:%x[0,0]\nB\n', scorer: 'hmm' });
const encoded = readChunkColumns(readFileSync(file, 'utf8')).map(one => model.encode(one));
const batches = [];
for (let at = 0; at < encoded.length; at += together) {
  batches.push(packMinibatch(encoded.slice(at, at + together)));
}

const [first, ...later] = Array.from({ length: Number(wanted) }, pass);
process.stdout.write(JSON.stringify({ first, later: median(later) }));

function pass() {
  const { labels, stateIndex, edgeIndex } = model;
  const fresh = new Model(model.spec, { labels, stateIndex, edgeIndex, kernel: kernels.simd64 });
  fresh.reserve();
  const options = { loss: jointLoss(), optimizer: counts(), corpusSize: encoded.length };
  const learner = createLearner(fresh, options);
  globalThis.gc?.();
  const start = performance.now();
  for (const minibatch of batches) learner.apply(learner.contribute(minibatch));
  return (performance.now() - start) / 1000;
}
