import { Random } from '../library.mjs';
import { sentence } from './sentence.mjs';

const kinds = ['NP', 'VP', 'PP', 'ADVP', 'ADJP', 'SBAR', 'PRT', 'CONJP', 'INTJ', 'LST', 'UCP'];
const words = 12_000;
const partsOfSpeech = 44;

/**
 * Seeded sentences in the shape of CoNLL-2000: chunks of eleven kinds and tokens outside of them, words
 * of a Zipf-like distribution and parts of speech, both depending on the tag. About 24 tokens each.
 *
 * @param {number} sentences
 * @param {number} seed
 */
export function syntheticChunks(sentences, seed) {
  const random = new Random(seed);
  return Array.from({ length: sentences }, () => {
    const tokens = [];
    const tags = [];
    const pos = [];
    const size = 2 + random.below(45);
    while (tokens.length < size) {
      const outside = random.uniform() < 0.25;
      const kind = Math.floor(random.uniform() ** 2 * kinds.length);
      const length = outside ? 1 : 1 + random.below(3);
      for (let i = 0; i < length && tokens.length < size; i += 1) {
        const tag = outside ? 0 : 1 + 2 * kind + Math.min(i, 1);
        const rank = Math.floor(words ** random.uniform());
        tokens.push(`w${(rank * 31 + tag * 17) % words}`);
        pos.push(`P${(tag * 2 + (rank % 3)) % partsOfSpeech}`);
        tags.push(outside ? 'O' : `${i === 0 ? 'B' : 'I'}-${kinds[kind]}`);
      }
    }
    return sentence(tokens, tags, { pos });
  });
}
