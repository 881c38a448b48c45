import type { Sentence } from '../../core/sentence/sentence.js';
import type { Strategy } from '../strategies/strategy.js';

/** What is replayed. */
export interface SimulationOptions {
  /** Labelled sentences, which stand for the person. */
  readonly gold: readonly Sentence[];
  /** Labelled sentences on which each model is scored. */
  readonly test: readonly Sentence[];
  readonly strategies: readonly Strategy[];
  /** Runs of each strategy, with the seeds 1, 2, ... */
  readonly seeds: number;
  /** Tokens that are looked at, at most. */
  readonly tokens: number;
  readonly preset: string;
  /** End runs some time after they have reached the mean score of the first strategy at its end. Default false. */
  readonly reach?: boolean | undefined;
  /** Receives each model's score. */
  readonly onPoint?: ((point: SimulationPoint & { readonly seed: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A model on the way. */
export interface SimulationPoint {
  readonly strategy: string;
  /** Tokens that the person was asked for. */
  readonly looked: number;
  /** Stretches of tokens that were proposed wrong, and so had to be corrected. */
  readonly corrections: number;
  /** F1 of spans, or accuracy, in percent. */
  readonly score: number;
}

/** One run of a strategy, from its first model to its last. */
export interface SimulationRun {
  readonly strategy: string;
  readonly seed: number;
  readonly points: readonly SimulationPoint[];
}
