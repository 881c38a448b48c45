import { tokenCount } from '../corpus/token-count.mjs';
import { createModel, packMinibatch } from '../library.mjs';

/**
 * A new model that knows the labels and features of sentences, and they as minibatches of one, as the
 * shipped chunking pipelines have them.
 *
 * @param {Parameters<typeof tokenCount>[0]} sentences
 * @param {{ templates: string, columns?: string[] }} spec
 * @param {readonly string[]} labels known even if no sentence has them
 */
export function encodeCorpus(sentences, spec, labels = []) {
  const model = createModel(spec);
  for (const label of labels) model.labels.intern(label);
  const batches = sentences.map(sentence => packMinibatch([model.encode(sentence)]));
  return { model, batches, tokens: tokenCount(sentences) };
}
