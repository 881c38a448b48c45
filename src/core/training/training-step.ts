import type { Contribution } from './contribution.js';
import type { Ending, Iteration, PassMargin } from './trainer.js';

/** How many tag sequences score higher than the gold tags, counted among the N best of each sentence; see `RankLoss`. */
export interface RankSummary {
  /** N, the most sequences that are counted for a sentence. */
  readonly limit: number;
  readonly sentences: number;
  /** The sum over sentences; a lower bound where there are sentences `beyond`. */
  readonly loss: number;
  /** The same for each sentence. */
  readonly mean: number;
  /** Sentences whose gold tags are not among the N best sequences. */
  readonly beyond: number;
  /** Sentences whose gold tags are among the k best sequences, and their percentage, for k = 1, 2, 5, 10, ... to N. */
  readonly within: readonly {
    readonly best: number;
    readonly sentences: number;
    readonly share: number;
  }[];
}

/** Scores of a held-out or progressive evaluation; percentages. */
export interface Scores {
  readonly sentences: number;
  readonly tokens: number;
  readonly accuracy: number;
  /** Only for span schemes. */
  readonly precision?: number;
  readonly recall?: number;
  readonly f1?: number;
  /** F1 of single tags other than `O`; only for held-out data. */
  readonly tagF1?: number;
  /**
   * Sentences that were not scored because not every token has one gold tag; only for held-out
   * data.
   */
  readonly skipped?: number;
  /**
   * Tag schemes of the gold tags and of the model, if they differ; only for held-out data. Then spans are compared, and tag
   * scores use tags converted to BIO.
   */
  readonly schemes?: { readonly gold: string; readonly model: string };
  /** Ranks of the gold tags; of held-out data only, where they are asked for. */
  readonly rank?: RankSummary;
}

/** One update of the parameters, as `optimize` emits it and `evaluate` and `checkpoint` add to it. */
export interface TrainingStep {
  readonly contribution: Contribution;
  /** Updates so far, this one included. */
  readonly step: number;
  /** Labelled sentences seen so far, those of this step included. */
  readonly sentencesSeen: number;
  /** Set when this step ends a pass over the corpus: the pass, from 1. */
  readonly passEnd?: number | undefined;
  /** Mean loss per token over the current pass (or since the last report, on a stream). */
  readonly meanLoss: number;
  /**
   * Mistakes and smallest margin of the pass that the step ends; absent for losses without margins.
   */
  readonly margin?: PassMargin | undefined;
  readonly scores?: Scores;
  /** The result, if the step is an iteration of a batch optimizer over the whole corpus. */
  readonly iteration?: Iteration;
  /** Why an online optimizer has nothing left to learn; the stream ends with this step. */
  readonly ending?: Ending | undefined;
  /** Set by `evaluate` when training should end after this step. */
  readonly stop?: boolean;
}

/** Scores the current model on held-out data without changing it; injected into `evaluate`. */
export interface Evaluator {
  evaluate(): Scores;
}
