import type { Sentence } from '../../core/sentence/sentence.js';
import type { Model } from '../../models/model.js';

/** Decides which record a person is asked for next. */
export interface Strategy {
  readonly name: string;
  readonly summary: string;
  /** `queue`: as they come; `random`: in random order; `score`: the highest score of a sampled pool first. */
  readonly order: 'queue' | 'random' | 'score';
  /** How much is to be learned from a record: never lower for a model that is less sure of it. */
  score?(model: Model, sentences: readonly Sentence[]): number;
  /** Whether of two records that score alike the one is asked that is less like those of before. */
  readonly diverse?: boolean;
  /** Whether only the tokens that the model is not sure of are asked. */
  readonly asksTokens?: boolean;
}
