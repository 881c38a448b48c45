import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { inDocuments } from '../../features/context/document-memory.js';
import type { Model } from '../model.js';

/**
 * Encodes consecutive sentences with the known features of a model, with the rest of their document as context
 * if templates use it.
 *
 * @throws TagstreamError as `Model.encodeKnown`
 */
export function encodeInOrder(model: Model, sentences: readonly Sentence[]): EncodedSentence[] {
  const place = inDocuments(model.extractor.readsDocuments);
  const window = model.first?.inOrder();
  if (window === undefined) return sentences.map(sentence => model.encodeKnown(place(sentence)));
  const placed = sentences.flatMap(sentence => window.push(place(sentence)));
  return [...placed, ...window.flush()].map(sentence => model.encodeKnown(sentence));
}
