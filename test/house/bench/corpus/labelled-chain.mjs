import { Random } from '../library.mjs';
import { sentence } from './sentence.mjs';

/**
 * Sentences of a seeded hidden Markov chain with any number of labels: words of a Zipf-like
 * distribution that depends on the label, so that there is something to learn.
 *
 * @param {number} sentences
 * @param {{ labels?: number, words?: number, length?: number, seed?: number }} options
 */
export function labelledChain(
  sentences,
  { labels = 22, words = 5000, length = 24, seed = 1 } = {},
) {
  const random = new Random(seed);
  return Array.from({ length: sentences }, () => {
    const tokens = [];
    const tags = [];
    const size = 1 + random.below(2 * length - 1);
    let label = random.below(labels);
    for (let t = 0; t < size; t += 1) {
      label = random.uniform() < 0.6 ? (label * 7 + 3) % labels : random.below(labels);
      const rank = Math.floor(words ** random.uniform());
      tokens.push(`w${(rank * 31 + label * 17) % words}`);
      tags.push(chainLabel(label));
    }
    return sentence(tokens, tags);
  });
}

/** The labels of a chain with `count` of them. */
export function chainLabels(count) {
  return Array.from({ length: count }, (_, label) => chainLabel(label));
}

function chainLabel(label) {
  return `L${label}`;
}

/** Words in a window of two, pairs of them, and the two letters at the end. */
export const chainTemplates = [
  ...[-2, -1, 0, 1, 2].map(offset => `U0${offset}:%x[${offset},0]`),
  ...['U10:%x[-1,0]/%x[0,0]', 'U11:%x[0,0]/%x[1,0]', 'U12:%suffix[0,0,2]', 'B'],
].join('\n');
