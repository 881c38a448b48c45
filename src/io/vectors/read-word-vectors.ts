import type { WordVectors } from '../../features/vectors/word-vectors.js';
import { openInput } from '../reading/open-input.js';
import { syncChunks } from '../reading/sync-chunks.js';
import { VectorParser } from './vector-parser.js';

/**
 * Reads the first words of a file of word vectors: text as of word2vec, fastText (`.vec`) or GloVe, binary word2vec, or
 * JSON as of the npm packages `wink-embeddings-*`; gzip or not. Words that came before, and those that no file of clusters
 * can hold, are left out, and so are vectors of zeros.
 *
 * @param most words that are read
 * @throws TagstreamError `file`; `wrong-shape` with the line or the word, `invalid-utf8`
 */
export async function readWordVectors(path: string, most: number): Promise<WordVectors> {
  const input = await openInput(path);
  const parser = new VectorParser(most, input.source);
  try {
    for await (const chunk of input.chunks) {
      if (!parser.push(chunk)) break;
    }
    return parser.finish();
  } finally {
    input.close();
  }
}

/**
 * The same synchronously, of a file.
 *
 * @throws TagstreamError as `readWordVectors`
 */
export function readWordVectorsSync(path: string, most: number): WordVectors {
  const parser = new VectorParser(most, path);
  for (const chunk of syncChunks(path)) {
    if (!parser.push(chunk)) break;
  }
  return parser.finish();
}
