import { TagstreamError } from '../../core/errors.js';
import { hammingDistance } from '../labels/code-words.js';
import type { LabelSet } from '../labels/label-set.js';
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
 * @throws TagstreamError `config` where templates, columns or index are others, and where labels have other code words
 */
export function takeWeights(model: Model, start: Model): TakenWeights {
  requireSameFeatures(model.spec, start.spec);
  requireSameWords(model.labels, start.labels);
  const { parameters } = model;
  if (parameters.scale !== 1 || parameters.version !== 0) throw tooLate();
  model.reserve();
  start.reserve();
  return addWeights(model, start, { replace: true });
}

/** Columns of bits are the same only where the labels that they divide are. */
function requireSameWords(labels: LabelSet, start: LabelSet): void {
  if (labels.codes === undefined || start.codes === undefined) return;
  const { words } = start.codes.codes;
  const other = labels.names.find((name, y) => {
    const word = words[start.find(name)];
    return word === undefined || hammingDistance(word, labels.codes!.codes.words[y]!) > 0;
  });
  if (other === undefined && words.length === labels.size) return;
  const which = other === undefined ? 'labels that are not in the corpus' : `the label "${other}"`;
  throw new TagstreamError('config', `in the model to start from ${which} have another code`, {
    fix: 'train on the same tags, in the same order of their first records, or leave train.start out',
  });
}

function tooLate(): TagstreamError {
  return new TagstreamError('stage', 'the model has been trained already', {
    fix: 'take weights over before the first update',
  });
}
