import type { Sentence } from '../../engine/core/sentence/sentence.js';
import type { Model } from '../../engine/models/model.js';

/** Uncertainty about the tokens of a record. */
export interface TokenDoubts {
  /** Doubt per token; 0 for tokens not in question. */
  readonly doubts: ArrayLike<number>;
  /** Divisor of the sum of doubts: the number of tokens to examine. */
  readonly over: number;
}

/** Chooses the next record to ask about. */
export interface Strategy {
  readonly name: string;
  readonly summary: string;
  /**
   * `queue`: in file order; `random`: in random order; `score`: the highest score of a sampled pool first.
   */
  readonly order: 'queue' | 'random' | 'score';
  /**
   * Returns a score of what can be learned from a record; it never falls if the model becomes less
   * certain.
   */
  score?(model: Model, sentences: readonly Sentence[]): number;
  /**
   * Returns the token doubts, instead of `score`. A token counts more if its features are in doubt
   * in many records, and less the more often they were answered.
   */
  doubts?(model: Model, sentences: readonly Sentence[]): TokenDoubts;
  /** Whether the strategy asks only about tokens of which the model is unsure. */
  readonly asksTokens?: boolean;
}

/** Label probability below which a token is asked about. */
const sure = 0.9;

/**
 * Returns the positions of tokens with uncertain labels; if there are none, that of the least
 * certain token.
 *
 * @example
 * askedTokens([0.99, 0.5, 0.95]) // => [1]
 * askedTokens([0.99, 0.95]) // => [1]
 */
export function askedTokens(confidences: ArrayLike<number>): number[] {
  const asked: number[] = [];
  let least = 0;
  for (let t = 0; t < confidences.length; t += 1) {
    if (confidences[t]! < sure) asked.push(t);
    if (confidences[t]! < confidences[least]!) least = t;
  }
  return asked.length > 0 || confidences.length === 0 ? asked : [least];
}
