import type { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { sentenceOf } from '../features/sentence-of.js';

/** What a small corpus looks like. */
export interface CorpusShape {
  readonly labels: number;
  readonly words: number;
  /** Tokens of the longest sentence. */
  readonly longest: number;
}

/**
 * Short sentences in which a word mostly has the label of its number, and else any: there is something
 * to learn, and it cannot all be right. Each token also has numbers, in the columns `n` and `m`.
 */
export function smallCorpus(
  random: Random,
  count: number,
  { labels, words, longest }: CorpusShape = { labels: 3, words: 9, longest: 4 },
): Sentence[] {
  return Array.from({ length: count }, () => {
    const numbers = Array.from({ length: 1 + random.below(longest) }, () => random.below(words));
    const label = (word: number) => (random.below(5) === 0 ? random.below(labels) : word % labels);
    return sentenceOf(
      numbers.map(word => `w${word}`),
      {
        tags: numbers.map(word => `L${label(word)}`),
        columns: {
          n: numbers.map(() => random.normal()),
          m: numbers.map((word, t) => word / 4 - t),
        },
      },
    );
  });
}
