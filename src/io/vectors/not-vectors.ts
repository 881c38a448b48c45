import { TagstreamError } from '../../core/errors.js';

/** The error of a file that is none of word vectors. */
export function notVectors(source: string, problem: string, line?: number): TagstreamError {
  return new TagstreamError('wrong-shape', problem, {
    place: { source, ...(line === undefined ? {} : { line }) },
    fix: 'give word vectors: text or binary word2vec, GloVe, fastText (.vec), or the name of an installed npm package wink-embeddings-*',
  });
}
