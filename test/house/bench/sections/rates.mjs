import { readFileSync } from 'node:fs';
import { tokenCount } from '../corpus/token-count.mjs';
import { loadTagger, readModel } from '../library.mjs';
import { against } from '../report/against.mjs';
import { decoding } from '../timed/decoding.mjs';
import { taggingBatches } from '../timed/tagging-batches.mjs';
import { sideBySide } from '../timing/side-by-side.mjs';

/** In one process, with the sparse model: how fast it tags, and how fast it loads once warm. */
export async function rates({ corpus, models, runs }) {
  const file = await models.ours('conll2000-sgd-l1');
  const bytes = readFileSync(file);
  const model = readModel(bytes, file);
  const tagger = loadTagger(file);
  const decode = decoding(model);
  const encoded = taggingBatches(model, corpus.test);
  const tagging = {
    'decode encoded sentences': () => decode(encoded),
    'encode and decode tokens': () => decode(taggingBatches(model, corpus.test)),
    'Tagger.tag, a sentence at a time': () => {
      for (const { tokens, columns } of corpus.test) tagger.tag(tokens, columns);
    },
    'Tagger.analyze, a sentence at a time': () => {
      for (const { tokens, columns } of corpus.test) tagger.analyze(tokens, columns);
    },
    'Tagger.tagMany': () => tagger.tagMany(corpus.test),
  };
  const loading = {
    readModel: () => readModel(bytes, file),
    loadTagger: () => loadTagger(file),
  };
  const tokens = tokenCount(corpus.test);
  return { rows: [...compare(tagging, runs, { tokens }), ...compare(loading, runs, {})] };
}

/** Each function against the first. */
function compare(works, runs, more) {
  const seconds = sideBySide(
    Object.values(works).map(work => () => work),
    runs,
  );
  const rows = Object.keys(works).map((what, i) => ({
    ...{ group: 'rates', what, runs, seconds: seconds[i] },
    ...more,
  }));
  return against(rows, { [rows[0].what]: rows });
}
