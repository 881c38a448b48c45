import type { Random } from '../../../src/engine/core/random.js';
import type { PartialTag } from '../../../src/engine/core/sentence/partial-tag.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';

/**
 * The sentences with some tags unknown or one of two, but for each fourth, and with weights for some.
 * The first tag of a sentence stays, so that each is labelled.
 */
export function partlyLabelled(random: Random, sentences: readonly Sentence[]): Sentence[] {
  const labels = [...new Set(sentences.flatMap(({ tags }) => tags ?? []))];
  return sentences.map((sentence, i) => {
    const weight = [undefined, 2, 0.5, 0][random.below(4)];
    const weighted = weight === undefined ? sentence : { ...sentence, weight };
    if (i % 4 === 3) return weighted;
    const { tags, ...rest } = weighted;
    const partialTags = tags!.map((tag, t): PartialTag => {
      const kind = t === 0 ? 2 + random.below(2) : random.below(4);
      if (kind < 2) return null;
      return kind === 2 ? tag : [tag, labels[random.below(labels.length)]!];
    });
    return { ...rest, partialTags };
  });
}
