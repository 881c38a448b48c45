import { sentence } from '../corpus/sentence.mjs';
import { decoding } from '../timed/decoding.mjs';
import { encodeCorpus } from '../timed/encode-corpus.mjs';
import { trainingPass } from '../timed/training-pass.mjs';
import { growthRows } from './growth-rows.mjs';

const lengths = [10, 100, 1000, 10_000];

/** Time a token of training and decoding as sentences grow, and tokens in all stay the same. */
export function growthLength({ corpus, scale, spec, runs }) {
  const corpora = lengths.map(length =>
    encodeCorpus(recut(corpus.train, length, scale.lengthTokens), spec),
  );
  const table = (title, preparation) => ({
    title: `${title}, tokens of a sentence`,
    rows: growthRows(
      corpora.map((encoded, i) => ({
        ...{ what: String(lengths[i]), tokens: encoded.tokens, prepare: preparation(encoded) },
      })),
      runs,
    ),
  });
  return {
    growth: [table('training', training), table('decoding', decode)],
  };
}

/** Steps grow smaller with the sentence, or weights of hundreds would leave the scaled recursion. */
function training(encoded) {
  const length = encoded.tokens / encoded.batches.length;
  return trainingPass(encoded, { options: { eta0: Math.min(0.1, 2 / length) } });
}

function decode(encoded) {
  const work = decoding(trainingPass(encoded)()());
  return () => () => work(encoded.batches);
}

/** The tokens of sentences, over again if they are too few, as sentences of one length. */
function recut(sentences, length, tokens) {
  const all = field => sentences.flatMap(field);
  const forms = all(one => one.tokens);
  const tags = all(one => one.tags);
  const pos = all(one => one.columns.pos);
  return Array.from({ length: tokens / length }, (_, s) => {
    const cut = column =>
      Array.from({ length }, (__, t) => column[(s * length + t) % column.length]);
    return sentence(cut(forms), cut(tags), { pos: cut(pos) });
  });
}
