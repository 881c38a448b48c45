import type { EncodedSentence } from './encoded-sentence.js';
import type { Minibatch } from './minibatch.js';
import { PackedMinibatch } from './packed-minibatch.js';

/**
 * Packs encoded sentences contiguously. A single sentence is not copied.
 *
 * A sentence counts as labelled when each of its tokens has a gold label that the model knows, or when it
 * is partially labelled.
 */
export function packMinibatch(sentences: readonly EncodedSentence[]): Minibatch {
  if (sentences.length !== 1) return new PackedMinibatch(sentences);
  const only: Keeping = sentences[0]!;
  const kept = only[alone];
  // A copy of a sentence, as of one that ends a pass, brings the minibatch of the other along.
  if (kept?.sentences[0] === only) return kept;
  const minibatch = new PackedMinibatch(sentences);
  if (Object.isExtensible(only)) only[alone] = minibatch;
  return minibatch;
}

/**
 * A sentence's minibatch of its own, kept as long as the sentence is: it comes again in each pass. Not in a
 * `WeakMap`: its entries live until all of the heap is collected, so that on a stream whole megabytes of
 * sentences outlived their use.
 */
const alone = Symbol('minibatch');

interface Keeping extends EncodedSentence {
  [alone]?: Minibatch;
}
