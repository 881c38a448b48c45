import { Decoder } from '../../../../dist/index.js';

/**
 * What decodes minibatches with a model, in one working memory.
 *
 * @param {import('../../../../dist/index.js').Model} model
 * @param {import('../../../../dist/index.js').DecodeOptions} options
 * @returns {(batches: readonly import('../../../../dist/index.js').Minibatch[]) => void}
 */
export function decoding(model, options = {}) {
  const decoder = new Decoder(model.kernel, model);
  return batches => {
    for (const minibatch of batches) decoder.decode(model.parameters, minibatch, options);
  };
}
