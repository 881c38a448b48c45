import type { TokenDoubts } from './strategy.js';
import { wordCount } from './token-words.js';

/** Above this, in nats, a token counts as one that is in doubt. */
const inDoubt = 0.1;

/** Doubts that are less change no choice. */
const least = 1e-4;

/**
 * How much there is to be learned about each word (`tokenWords`): in how many records of a pool it is in doubt, and how
 * often it was answered.
 *
 * @example
 * const weights = new WordWeights();
 * const doubts = { doubts: [1], over: 1 };
 * const words = Uint32Array.of(7);
 * weights.add(doubts, words);
 * const before = weights.score(doubts, words);
 * weights.answer(words);
 * [before, weights.score(doubts, words)] // => [1, 0.5]
 */
export class WordWeights {
  readonly #records = new Uint32Array(wordCount);
  readonly #answered = new Uint32Array(wordCount);

  /** Adds the doubts about the tokens of a record. */
  add(doubts: TokenDoubts, words: Uint32Array): void {
    for (const word of doubtful(doubts, words)) this.#records[word]! += 1;
  }

  /** Takes away what `add` has added. */
  remove(doubts: TokenDoubts, words: Uint32Array): void {
    for (const word of doubtful(doubts, words)) this.#records[word]! -= 1;
  }

  /** Notes that the tokens of a record were answered. */
  answer(words: Uint32Array): void {
    for (const word of words) this.#answered[word]! += 1;
  }

  /** Takes back what `answer` has noted. */
  takeBack(words: Uint32Array): void {
    for (const word of words) this.#answered[word]! -= 1;
  }

  /**
   * `sum over t of d_t D_w / (1 + n_w) / over`: D_w is the number of records in which the word w of token t is in doubt, and
   * n_w is how often it was answered. It falls with each answer.
   */
  score({ doubts, over }: TokenDoubts, words: Uint32Array): number {
    let sum = 0;
    for (let t = 0; t < doubts.length; t += 1) {
      const doubt = doubts[t]!;
      const word = words[t]!;
      if (doubt >= least) sum += (doubt * this.#records[word]!) / (1 + this.#answered[word]!);
    }
    return over === 0 ? 0 : sum / over;
  }
}

/** The words that are in doubt, each once. */
function doubtful({ doubts }: TokenDoubts, words: Uint32Array): Set<number> {
  return new Set(words.filter((_, t) => doubts[t]! > inDoubt));
}
