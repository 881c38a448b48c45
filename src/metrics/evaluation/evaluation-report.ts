import type { Scores } from '../../core/training/training-step.js';
import type { MatchScores } from '../scores/match-counts.js';
import type { CalibrationSummary } from './calibration.js';
import type { ConfusionCell } from './confusion.js';
import type { BootstrapResult } from './paired-bootstrap.js';
import type { WordAccuracy } from './unseen-words.js';

/** Counts and percentages of one label. */
export interface LabelScores extends MatchScores {
  readonly label: string;
}

/** All results of an evaluation; plain data. */
export interface EvaluationReport extends Scores {
  /** Spans in all and by label, as conlleval counts them; only for span schemes. */
  readonly spans?: { readonly total: MatchScores; readonly labels: readonly LabelScores[] };
  /** Tokens by tag. */
  readonly labels: readonly LabelScores[];
  /** Pairs of gold tag and another predicted one, the most frequent first. */
  readonly confusions: readonly ConfusionCell[];
  /** Where probabilities were asked for. */
  readonly calibration?: {
    readonly tokens?: CalibrationSummary;
    readonly spans?: CalibrationSummary;
  };
  /** Where the words of the training data are known. */
  readonly words?: { readonly unseen: WordAccuracy; readonly seen: WordAccuracy };
  /** Where there is a second model. */
  readonly comparison?: ModelComparison;
}

/** A comparison of this model with another one on the same sentences. */
export interface ModelComparison extends BootstrapResult {
  /** Name of the other model. */
  readonly against: string;
  /** Its scores. */
  readonly scores: Scores;
}
