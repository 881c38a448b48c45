import type { TokenDoubts } from './strategy.js';
import { kindCount, kindsOfToken } from './token-kinds.js';

/** How much a kind counts for less with each time that it was asked: half after the first. */
const learned = 1;

/** Doubts that are less change no choice. */
const least = 1e-4;

/**
 * How much there is to be learned about each kind of token (`tokenKinds`): the doubts that all records in a pool have
 * about it, and how often it was asked.
 *
 * @example
 * const weights = new KindWeights();
 * const doubts = { doubts: [1], over: 1 };
 * const kinds = Uint32Array.of(1, 2, 3, 4);
 * weights.add(doubts, kinds);
 * const before = weights.asked(kinds);
 * const first = weights.score(doubts, kinds, before);
 * weights.ask(kinds);
 * [first, weights.score(doubts, kinds, before) < first] // => [1, true]
 */
export class KindWeights {
  readonly #doubts = new Float64Array(kindCount);
  readonly #asked = new Uint32Array(kindCount);

  /** Adds the doubts about the tokens of a record. */
  add(doubts: TokenDoubts, kinds: Uint32Array): void {
    this.#change(doubts, kinds, 1);
  }

  /** Takes away what `add` has added. */
  remove(doubts: TokenDoubts, kinds: Uint32Array): void {
    this.#change(doubts, kinds, -1);
  }

  /** Notes that the tokens of a record are asked. */
  ask(kinds: Uint32Array): void {
    for (const kind of kinds) this.#asked[kind]! += 1;
  }

  /** How often each kind was asked so far. */
  asked(kinds: Uint32Array): Uint32Array {
    return Uint32Array.from(kinds, kind => this.#asked[kind]!);
  }

  /**
   * `sum over t of d_t w_t / over`, with w_t the mean over the kinds k of token t of `sqrt(D_k) / (1 + n_k)`: D_k are
   * the doubts of all records about k, and n_k is how often it was asked since `before`.
   */
  score({ doubts, over }: TokenDoubts, kinds: Uint32Array, before: Uint32Array): number {
    let sum = 0;
    for (let t = 0; t < doubts.length; t += 1) {
      const doubt = doubts[t]!;
      if (doubt < least) continue;
      let weight = 0;
      for (let i = kindsOfToken * t; i < kindsOfToken * (t + 1); i += 1) {
        const kind = kinds[i]!;
        const times = this.#asked[kind]! - before[i]!;
        weight += Math.sqrt(Math.max(0, this.#doubts[kind]!)) / (1 + learned * times);
      }
      sum += doubt * weight;
    }
    return over === 0 ? 0 : sum / over / kindsOfToken;
  }

  #change({ doubts }: TokenDoubts, kinds: Uint32Array, sign: 1 | -1): void {
    for (let i = 0; i < kinds.length; i += 1) {
      this.#doubts[kinds[i]!]! += sign * doubts[Math.floor(i / kindsOfToken)]!;
    }
  }
}
