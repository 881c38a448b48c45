import { Random } from '../../dist/index.js';

/**
 * Sentences of a seeded hidden Markov chain: words of a Zipf-like distribution that depends on the
 * label, so that there is something to learn.
 */
export function corpus(sentences, { labels = 22, words = 5000, length = 24, seed = 1 } = {}) {
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
      tags.push(`L${label}`);
    }
    const part = { index: 0, count: 1, start: 0 };
    return { tokens, tags, columns: {}, document: {}, part };
  });
}

/** Words in a window of two, pairs of them, and the two letters at the end. */
export const templates = [
  ...[-2, -1, 0, 1, 2].map(offset => `U0${offset}:%x[${offset},0]`),
  ...['U10:%x[-1,0]/%x[0,0]', 'U11:%x[0,0]/%x[1,0]', 'U12:%suffix[0,0,2]', 'B'],
].join('\n');
