import type { Sentence } from '../../core/sentence/sentence.js';
import type { Model } from '../../models/model.js';

/** What is not known of the tokens of a record. */
export interface TokenDoubts {
  /** For each token; 0 where nothing is asked. */
  readonly doubts: ArrayLike<number>;
  /** What their sum is divided by: how much has to be looked at. */
  readonly over: number;
}

/** Decides which record a person is asked for next. */
export interface Strategy {
  readonly name: string;
  readonly summary: string;
  /** `queue`: as they come; `random`: in random order; `score`: the highest score of a sampled pool first. */
  readonly order: 'queue' | 'random' | 'score';
  /** How much is to be learned from a record: never lower for a model that is less sure of it. */
  score?(model: Model, sentences: readonly Sentence[]): number;
  /**
   * The same by token, instead of `score`. A token counts for more if its features are in doubt in many records, and for
   * less the more often they were answered.
   */
  doubts?(model: Model, sentences: readonly Sentence[]): TokenDoubts;
  /** Whether only the tokens that the model is not sure of are asked. */
  readonly asksTokens?: boolean;
}

/** Below this probability of its label a token is asked. */
const sure = 0.9;

/**
 * The tokens whose label is not sure; where all are, the one that is least so.
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
