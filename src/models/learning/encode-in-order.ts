import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { inDocuments } from '../../features/context/document-memory.js';
import type { Model } from '../model.js';

/**
 * Encodes sentences that follow each other, by what the model knows: each has the others of its document as context,
 * where templates look at these.
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
