import type { EncodedSentence } from './encoded-sentence.js';
import type { Minibatch } from './minibatch.js';
import { PackedMinibatch } from './packed-minibatch.js';

/**
 * Packs encoded sentences one after the other. A single sentence is not copied.
 *
 * A sentence counts as labelled when each of its tokens has a gold label that the model knows, or when it
 * is labelled in part.
 */
export function packMinibatch(sentences: readonly EncodedSentence[]): Minibatch {
  if (sentences.length !== 1) return new PackedMinibatch(sentences);
  const only = sentences[0]!;
  let minibatch = single.get(only);
  if (minibatch === undefined) {
    minibatch = new PackedMinibatch(sentences);
    single.set(only, minibatch);
  }
  return minibatch;
}

/** Minibatches of one sentence, kept as long as the sentence is: it comes again in each pass. */
const single = new WeakMap<EncodedSentence, Minibatch>();
