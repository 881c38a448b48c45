import type { Figure } from '../figures.js';
import type { Contribution } from './contribution.js';
import type { Ending, Iteration, PassMargin } from './trainer.js';

/**
 * Ranks of the gold tags: numbers of tag sequences that score higher, counted among the N best of
 * each sentence; see `RankLoss`.
 */
export interface RankSummary {
  /** N, the maximum number of sequences counted per sentence. */
  readonly limit: number;
  readonly sentences: number;
  /** Sum over sentences; a lower bound if `beyond` is not 0. */
  readonly loss: number;
  /** Mean over sentences. */
  readonly mean: Figure;
  /** Number of sentences whose gold tags are not among the N best sequences. */
  readonly beyond: number;
  /**
   * Number and percentage of sentences whose gold tags are among the k best sequences, for k = 1,
   * 2, 5, 10, ... up to N.
   */
  readonly within: readonly {
    readonly best: number;
    readonly sentences: number;
    readonly share: Figure;
  }[];
}

/** Scores of a held-out or progressive evaluation, in percent; null if undefined, see `figureDefinitions`. */
export interface Scores {
  readonly sentences: number;
  readonly tokens: number;
  readonly accuracy: Figure;
  /** Precision of spans; only for span schemes. */
  readonly precision?: Figure;
  readonly recall?: Figure;
  readonly f1?: Figure;
  /** F1 of single tags other than `O`; only for held-out data. */
  readonly tagF1?: Figure;
  /**
   * Number of sentences that were not scored because not every token has one gold tag; only for
   * held-out data.
   */
  readonly skipped?: number;
  /**
   * Tag schemes of the gold tags and of the model, if they differ; only for held-out data. Spans
   * are then compared, and tag scores use tags converted to BIO.
   */
  readonly schemes?: { readonly gold: string; readonly model: string };
  /** Ranks of the gold tags; only for held-out data, if requested. */
  readonly rank?: RankSummary;
}

/**
 * An update of the parameters, as emitted by `optimize` and extended by `evaluate` and
 * `checkpoint`.
 */
export interface TrainingStep {
  readonly contribution: Contribution;
  /** Number of updates so far, including this one. */
  readonly step: number;
  /** Number of labelled sentences seen so far, including those of this step. */
  readonly sentencesSeen: number;
  /** Number of the pass, from 1; set if this step ends a pass over the corpus. */
  readonly passEnd?: number | undefined;
  /** Mean loss per token over the current pass (or since the last report, on a stream). */
  readonly meanLoss: number;
  /**
   * Mistakes and smallest margin of the pass that the step ends; absent for losses without margins.
   */
  readonly margin?: PassMargin | undefined;
  readonly scores?: Scores;
  /** Result of the iteration, if the step is one of a batch optimizer over the whole corpus. */
  readonly iteration?: Iteration;
  /** Reason why an online optimizer has nothing left to learn; the stream ends with this step. */
  readonly ending?: Ending | undefined;
  /** Whether training should end after this step; set by `evaluate`. */
  readonly stop?: boolean;
}

/** Scores the current model on held-out data without changing it; injected into `evaluate`. */
export interface Evaluator {
  evaluate(): Scores;
}
