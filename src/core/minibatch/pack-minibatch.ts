import { kinds, requireArgument } from '../schema/require-argument.js';
import type { EncodedSentence } from './encoded-sentence.js';
import type { Minibatch } from './minibatch.js';
import { PackedMinibatch } from './packed-minibatch.js';
import { SentenceMinibatch } from './sentence-minibatch.js';

/**
 * Packs encoded sentences contiguously. A single sentence is not copied.
 *
 * A sentence counts as labelled when each of its tokens has a gold label that the model knows, or when it
 * is partially labelled.
 */
export function packMinibatch(sentences: readonly EncodedSentence[]): Minibatch {
  requireArgument('packMinibatch: the sentences', sentences, kinds.list);
  if (sentences.length === 1) return new SentenceMinibatch(sentences[0]!);
  return new PackedMinibatch(sentences);
}
