import type { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { sentenceOf } from '../../features/sentence-of.js';

/** Odds of a hidden Markov model, and how long its sentences are. */
export interface SyntheticShape {
  readonly labels?: number;
  /** Words that a label prefers; a word may belong to two labels. */
  readonly wordsPerLabel?: number;
  /** How often a word is one of those that its label prefers. */
  readonly faithful?: number;
  readonly longest?: number;
}

/**
 * Sentences of a hidden Markov model: label y is mostly followed by y + 1, and mostly has words of its
 * own, half of which the next label shares. Words alone do not determine the labels; with their order they
 * nearly do.
 */
export function syntheticCorpus(
  random: Random,
  count: number,
  { labels = 4, wordsPerLabel = 6, faithful = 0.95, longest = 12 }: SyntheticShape = {},
): Sentence[] {
  const words = labels * (wordsPerLabel / 2);
  return Array.from({ length: count }, (_, i) => {
    const tokens: string[] = [];
    const tags: string[] = [];
    let label = random.below(labels);
    for (let t = 2 + random.below(longest - 1); t > 0; t -= 1) {
      const own = (label * wordsPerLabel) / 2 + random.below(wordsPerLabel);
      const word = random.uniform() < faithful ? own % words : random.below(words);
      tokens.push(`w${word}`);
      tags.push(`L${label}`);
      label = random.uniform() < 0.85 ? (label + 1) % labels : random.below(labels);
    }
    return sentenceOf(tokens, { tags, id: String(i) });
  });
}
