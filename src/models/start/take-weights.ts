import { TagstreamError } from '../../core/errors.js';
import type { Model } from '../model.js';
import { addWeights, type TakenWeights } from './add-weights.js';
import { requireSameFeatures } from './require-same-features.js';

/**
 * Begins training with the weights of another model: features are matched by their fingerprints, labels by
 * their names. A weight for which the other model has nothing stays as it is; one of the other's that has no
 * place here is left out.
 *
 * To be called when the model has its features and labels, before anything is learned. Cost: a lookup a
 * feature of the other model, and O(its weights).
 *
 * @throws TagstreamError `config` where templates, columns or index are others
 */
export function takeWeights(model: Model, start: Model): TakenWeights {
  requireSameFeatures(model.spec, start.spec);
  const { parameters } = model;
  if (parameters.scale !== 1 || parameters.version !== 0) throw tooLate();
  model.reserve();
  start.reserve();
  return addWeights(model, start, { replace: true });
}

function tooLate(): TagstreamError {
  return new TagstreamError('stage', 'the model has been trained already', {
    fix: 'take weights over before the first update',
  });
}
