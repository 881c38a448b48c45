import { Decoder } from '../library.mjs';

/**
 * What decodes minibatches with a model, in one working memory.
 *
 * @param {import('../library.mjs').Model} model
 * @param {import('../library.mjs').DecodeOptions} options
 * @returns {(batches: readonly import('../library.mjs').Minibatch[]) => void}
 */
export function decoding(model, options = {}) {
  const decoder = new Decoder(model.kernel, model);
  return batches => {
    for (const minibatch of batches) decoder.decode(model.parameters, minibatch, options);
  };
}
