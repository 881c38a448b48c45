import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { trainingPass } from '../timed/training-pass.mjs';
import { growthRows } from './growth-rows.mjs';

const times = [1, 2, 4, 8];

/** Time a token of featurizing and training as templates, and with them features, grow. */
export function growthFeatures({ corpus, scale, spec, runs }) {
  const sentences = corpus.train.slice(0, scale.sample / 2);
  const corpora = times.map(count =>
    encodeCorpus(sentences, { ...spec, templates: repeated(spec.templates, count) }),
  );
  const table = (title, preparation) => {
    const cases = corpora.map((encoded, i) => ({
      ...{ what: `x${times[i]}`, tokens: encoded.tokens, prepare: preparation(encoded) },
      ...{ features: encoded.model.stateIndex.size, active: active(encoded) },
    }));
    const rows = growthRows(cases, runs).map(row => ({
      ...row,
      nanosPerFeature: (row.micros * 1000) / row.active,
    }));
    return { title: `${title}, templates`, rows };
  };
  const featurize =
    ({ model }) =>
    () =>
    () => {
      for (const sentence of sentences) model.encodeKnown(sentence);
    };
  return {
    growth: [table('featurizing', featurize), table('training', encoded => trainingPass(encoded))],
  };
}

/** Every state template `count` times, each time under another name, which makes other features. */
function repeated(templates, count) {
  const lines = templates.split('\n').filter(line => line.startsWith('U'));
  const copies = Array.from({ length: count }, (_, i) => lines.map(line => `${line}/copy${i}`));
  return [...copies.flat(), 'B'].join('\n');
}

/** Features of a token, on average. */
function active({ batches, tokens }) {
  return batches.reduce((sum, { stateRows }) => sum + stateRows.length, 0) / tokens;
}
