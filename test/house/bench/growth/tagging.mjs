import { readFileSync } from 'node:fs';
import { tokenCount } from '../corpus/token-count.mjs';
import { readModel } from '../library.mjs';
import { decoding } from '../timed/decoding.mjs';
import { taggingBatches } from '../timed/tagging-batches.mjs';
import { growthRows } from './growth-rows.mjs';

const times = [1, 2, 4, 8];

/** Time a token of encoding and decoding in one process, as the tokens to be tagged grow. */
export async function growthTagging({ corpus, models, runs }) {
  const file = await models.ours('conll2000-sgd-l1');
  const model = readModel(readFileSync(file), file);
  const decode = decoding(model);
  const tokens = tokenCount(corpus.test);
  const cases = times.map(count => ({
    ...{ what: `x${count}`, tokens: tokens * count },
    prepare: () => () => {
      for (let copy = 0; copy < count; copy += 1) decode(taggingBatches(model, corpus.test));
    },
  }));
  return { growth: [{ title: 'tagging in one process, tokens', rows: growthRows(cases, runs) }] };
}
