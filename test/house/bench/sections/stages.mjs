import {
  counts,
  createModel,
  jointLoss,
  kernels,
  perceptron,
  perceptronLoss,
  sgd,
  sgdL1,
} from '../library.mjs';
import { against } from '../report/against.mjs';
import { decoding } from '../timed/decoding.mjs';
import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { trainingPass } from '../timed/training-pass.mjs';
import { sideBySide } from '../timing/side-by-side.mjs';

const base = 'decode: viterbi';

/** Each stage of tagging and training, against decoding. */
export function stages({ corpus, scale, spec, runs }) {
  const sentences = corpus.train.slice(0, scale.sample);
  const encoded = encodeCorpus(sentences, spec);
  const tables = encodeCorpus(sentences, { templates: 'U0:%x[0,0]\nB', scorer: 'hmm' });
  const train = options => trainingPass(encoded, options);
  const trained = train({})()();
  const decode = decoding(trained);
  const decodeMarginals = decoding(trained, { marginals: true });
  const decodeProbability = decoding(trained, { probability: true });
  const decodeBest = decoding(trained, { nbest: 3 });
  const decodeSpans = decoding(trained, { spanProbabilities: true });
  const works = {
    [base]: () => () => decode(encoded.batches),
    'decode: viterbi and marginals': () => () => decodeMarginals(encoded.batches),
    'decode: viterbi and probability': () => () => decodeProbability(encoded.batches),
    'decode: the three best': () => () => decodeBest(encoded.batches),
    'decode: spans and probabilities': () => () => decodeSpans(encoded.batches),
    'featurize, features known': () => () => {
      for (const sentence of sentences) encoded.model.encodeKnown(sentence);
    },
    'featurize, all features new': () => () => {
      const fresh = createModel(spec);
      for (const sentence of sentences) fresh.encode(sentence);
    },
    'train: log loss, sgd': train({}),
    'train: log loss, sgd averaged': train({ optimizer: sgd({ average: true, averageAfter: 0 }) }),
    'train: log loss, sgd-l1': train({ optimizer: sgdL1() }),
    'train: perceptron, averaged': train({ loss: perceptronLoss(), optimizer: perceptron() }),
    'train: hidden Markov model of words, counted': trainingPass(tables, {
      ...{ loss: jointLoss(), optimizer: counts(), kernel: kernels.simd64 },
    }),
  };
  const seconds = sideBySide(Object.values(works), runs);
  const rows = Object.keys(works).map((what, i) => ({
    ...{ group: 'stages', what, runs },
    ...{ seconds: seconds[i], tokens: encoded.tokens },
  }));
  return { rows: against(rows, { [base]: rows }) };
}
