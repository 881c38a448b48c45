import { f1Score } from './f1-score.js';
import { percent } from './percent.js';

/** How many things (spans, or tokens of a label) were right, in the gold tags, and predicted. */
export interface MatchCounts {
  correct: number;
  gold: number;
  predicted: number;
}

/** Counts with the percentages that follow from them. */
export interface MatchScores extends Readonly<MatchCounts> {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/**
 * Precision `correct / predicted`, recall `correct / gold` and F1 in percent; 0 where undefined.
 *
 * @example
 * matchScores({ correct: 1, gold: 2, predicted: 4 }).recall // => 50
 */
export function matchScores(counts: Readonly<MatchCounts>): MatchScores {
  const { correct, gold, predicted } = counts;
  const precision = percent(correct, predicted);
  const recall = percent(correct, gold);
  return { correct, gold, predicted, precision, recall, f1: f1Score(precision, recall) };
}
