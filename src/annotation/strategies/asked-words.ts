import type { Sentence } from '../../core/sentence/sentence.js';
import type { TokenDoubts } from './strategy.js';

/** How much of a doubt goes with each time that a word was asked: the model does not learn all of a word at once. */
const learned = 0.3;

/**
 * Counts the words of records that were asked, in lower case, so that what was asked since a record was scored counts for
 * less in its score.
 *
 * @example
 * const asked = new AskedWords();
 * const words = ['oslo', 'is'];
 * const before = asked.counts(words);
 * asked.add(['Oslo'].map(word => word.toLowerCase()));
 * asked.score({ doubts: [1.3, 1], over: 2 }, words, before) // => 1
 */
export class AskedWords {
  readonly #counts = new Map<string, number>();

  /** The words of some sentences. */
  static of(sentences: readonly Sentence[]): string[] {
    return sentences.flatMap(({ tokens }) => tokens.map(token => token.toLowerCase()));
  }

  add(words: readonly string[]): void {
    for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  /** How often each was asked so far. */
  counts(words: readonly string[]): Uint32Array {
    return Uint32Array.from(words, word => this.#counts.get(word) ?? 0);
  }

  /**
   * `sum over t of doubt_t / (1 + 0.3 n_t) / over`, with n_t how often the word of t was asked since `before`, and stands
   * earlier in the record. It never grows while words are asked.
   */
  score({ doubts, over }: TokenDoubts, words: readonly string[], before: Uint32Array): number {
    let sum = 0;
    const here = new Map<string, number>();
    for (let t = 0; t < words.length; t += 1) {
      const doubt = doubts[t]!;
      if (doubt === 0) continue;
      const word = words[t]!;
      const earlier = here.get(word) ?? 0;
      here.set(word, earlier + 1);
      const times = earlier + (this.#counts.get(word) ?? 0) - before[t]!;
      sum += doubt / (1 + learned * times);
    }
    return over === 0 ? 0 : sum / over;
  }
}
