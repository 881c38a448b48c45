import { chainLabels, chainTemplates, labelledChain } from '../corpus/labelled-chain.mjs';
import { decoding } from '../timed/decoding.mjs';
import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { trainingPass } from '../timed/training-pass.mjs';
import { growthRows } from './growth-rows.mjs';

const counts = [8, 32, 128, 512];

/** Time a token of training and decoding as labels grow; the recursions cost a step a pair of labels. */
export function growthLabels({ scale, runs }) {
  const corpora = counts.map(labels => {
    const sentences = labelledChain(scale.labelSentences, { labels, seed: 3 });
    return encodeCorpus(sentences, { templates: chainTemplates }, chainLabels(labels));
  });
  const table = (title, preparation) => {
    const cases = corpora.map((encoded, i) => ({
      ...{ what: String(counts[i]), tokens: encoded.tokens, prepare: preparation(encoded) },
    }));
    const rows = growthRows(cases, runs).map((row, i) => ({
      ...row,
      nanosPerPair: (row.micros * 1000) / counts[i] ** 2,
    }));
    return { title: `${title}, labels`, rows };
  };
  return {
    growth: [table('training', encoded => trainingPass(encoded)), table('decoding', decode)],
  };
}

function decode(encoded) {
  const work = decoding(trainingPass(encoded)()());
  return () => () => work(encoded.batches);
}
