import { kernels as known } from '../../../../dist/engine/models/kernels.js';
import { chainLabels, chainTemplates, labelledChain } from '../corpus/labelled-chain.mjs';
import { against } from '../report/against.mjs';
import { decoding } from '../timed/decoding.mjs';
import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { trainingPass } from '../timed/training-pass.mjs';
import { sideBySide } from '../timing/side-by-side.mjs';

const manyLabels = 96;

/** The kernels against `simd`: training and decoding, with the labels of chunking and with many. */
export function kernels({ corpus, scale, spec, runs }) {
  const chunks = encodeCorpus(corpus.train.slice(0, scale.sample), spec);
  const chain = labelledChain(Math.ceil(scale.sample / 5), { labels: manyLabels, seed: 4 });
  const many = encodeCorpus(chain, { templates: chainTemplates }, chainLabels(manyLabels));
  return {
    rows: [
      ...compare('train', chunks, runs, kernel => trainingPass(chunks, { kernel })),
      ...compare('train', many, runs, kernel => trainingPass(many, { kernel })),
      ...compare('decode', chunks, runs, kernel => decode(chunks, kernel)),
      ...compare('decode', many, runs, kernel => decode(many, kernel)),
    ],
  };
}

function compare(work, encoded, runs, preparation) {
  const names = Object.keys(known);
  const seconds = sideBySide(
    names.map(name => preparation(known[name])),
    runs,
  );
  const label = name => `${work}, ${encoded.model.labels.size} labels: ${name}`;
  const rows = names.map((name, i) => ({
    ...{ group: 'kernels', what: label(name), runs },
    ...{ seconds: seconds[i], tokens: encoded.tokens },
  }));
  return against(rows, { [label('simd')]: rows });
}

function decode(encoded, kernel) {
  const work = decoding(trainingPass(encoded, { kernel })()());
  return () => () => work(encoded.batches);
}
