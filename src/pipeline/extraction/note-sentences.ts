import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { certainLabels } from '../../models/labels/certain-labels.js';
import { observe } from '../../models/labels/observe.js';
import type { Model } from '../../models/model.js';

/**
 * Notes in a model what `Model.encode` notes of labelled sentences, for those that were encoded without it: pairs of
 * labels that follow each other, and those of features and labels where only observed ones have weights.
 */
export function noteSentences(model: Model, sentences: readonly EncodedSentence[]): void {
  for (const { gold, allowed } of sentences) {
    if (gold !== undefined) model.seen.note(gold);
    else if (allowed !== undefined) model.seen.note(certainLabels(allowed));
  }
  if (model.spec.support !== 'observed') return;
  model.reserve();
  for (const sentence of sentences) observe(model.parameters, sentence);
}
