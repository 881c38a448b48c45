import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../processes/root.mjs';
import { readChunkColumns } from './chunk-columns.mjs';
import { syntheticChunks } from './synthetic-chunks.mjs';

/**
 * What is trained on and tagged: CoNLL-2000 from the folder that `TAGSTREAM_CORPORA` names, or beside
 * the project; a synthetic corpus where it is not there. `name` says which, and is cut or not.
 *
 * @param {{ train: number, test: number } | undefined} cut sentences to keep
 */
export function loadCorpus(cut) {
  const corpora = process.env.TAGSTREAM_CORPORA ?? resolve(root, '../shared/corpora');
  const file = part => join(corpora, 'conll2000', `${part}.txt`);
  const present = existsSync(file('train')) && existsSync(file('test'));
  const read = part => readChunkColumns(readFileSync(file(part), 'utf8'));
  const train = present ? read('train') : syntheticChunks(cut?.train ?? 8936, 1);
  const test = present ? read('test') : syntheticChunks(cut?.test ?? 2012, 2);
  return {
    name: `${present ? 'CoNLL-2000' : 'synthetic chunks'}${cut === undefined ? '' : ', cut'}`,
    train: train.slice(0, cut?.train),
    test: test.slice(0, cut?.test),
  };
}
