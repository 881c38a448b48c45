import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { trainingPass } from '../timed/training-pass.mjs';
import { growthRows } from './growth-rows.mjs';

const times = [1, 2, 4, 8];

/**
 * Training time a token as the corpus grows: by further sentences, which bring features and so memory
 * along, and by the same sentences again.
 */
export function growthTokens({ corpus, spec, runs }) {
  const part = corpus.train.slice(0, Math.floor(corpus.train.length / 8));
  const table = (title, sentences) => ({
    title: `training, ${title}`,
    rows: growthRows(
      times.map(count => caseOf(`x${count}`, sentences(count), spec)),
      runs,
    ),
  });
  return {
    growth: [
      table('tokens of further sentences', count => corpus.train.slice(0, part.length * count)),
      table('tokens of the same sentences', count => Array(count).fill(part).flat()),
    ],
  };
}

function caseOf(what, sentences, spec) {
  const encoded = encodeCorpus(sentences, spec);
  const features = encoded.model.stateIndex.size;
  return { what, tokens: encoded.tokens, features, prepare: trainingPass(encoded) };
}
