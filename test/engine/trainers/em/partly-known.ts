import type { Random } from '../../../../src/engine/core/random.js';
import type { PartialTag } from '../../../../src/engine/core/sentence/partial-tag.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';

/** The labels of `hmmCorpus`. */
export const labels = ['X', 'Y', 'Z'];

/** Of some sentences all labels are known, of others some or none. */
export function partlyKnown(random: Random, sentences: readonly Sentence[]): Sentence[] {
  return sentences.map((sentence, i) => {
    const { tags, ...rest } = sentence;
    if (i < 2 || i % 4 === 0) return sentence;
    if (i % 4 === 1) return { ...rest, partialTags: tags!.map(() => null) };
    const partialTags = tags!.map((tag): PartialTag => {
      const other = labels[random.below(3)]!;
      return [null, tag, tag === other ? tag : [tag, other]][random.below(3)]!;
    });
    return { ...rest, partialTags };
  });
}
