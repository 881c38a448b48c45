import type { Sentence } from '../../core/sentence/sentence.js';
import type { Model } from '../../models/model.js';

/** Uncertainty about the tokens of a record. */
export interface TokenDoubts {
  /** For each token; 0 for tokens not in question. */
  readonly doubts: ArrayLike<number>;
  /** Divisor of their sum: how much has to be examined. */
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
  /** Returns how much can be learned from a record: never lower for a less certain model. */
  score?(model: Model, sentences: readonly Sentence[]): number;
  /**
   * Returns the same per token, instead of `score`. A token counts more if its features are in doubt in many records,
   * and less the more often they were answered.
   */
  doubts?(model: Model, sentences: readonly Sentence[]): TokenDoubts;
  /** Whether it asks only about tokens of which the model is unsure. */
  readonly asksTokens?: boolean;
}

/** Probability of a label below which its token is asked about. */
const sure = 0.9;

/**
 * Returns the tokens with uncertain labels; if there are none, the least certain one.
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
