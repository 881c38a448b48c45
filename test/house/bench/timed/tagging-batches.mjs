import { packMinibatch } from '../library.mjs';

/** Sentences decoded at once, as the command does. */
const size = 32;

/**
 * Sentences as the minibatches that the command `tag` decodes.
 *
 * @param {import('../library.mjs').Model} model
 * @param {readonly object[]} sentences
 */
export function taggingBatches(model, sentences) {
  return Array.from({ length: Math.ceil(sentences.length / size) }, (_, i) =>
    packMinibatch(
      sentences.slice(i * size, (i + 1) * size).map(sentence => model.encodeKnown(sentence)),
    ),
  );
}
