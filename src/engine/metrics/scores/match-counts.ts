import { TagstreamError } from '../../core/errors.js';
import { type Figure, percent } from '../../core/figures.js';
import type { Scores } from '../../core/training/training-step.js';

/** Numbers of correct, gold and predicted spans, or tokens of a label. */
export interface MatchCounts {
  correct: number;
  gold: number;
  predicted: number;
}

/** Counts and the percentages computed from them. */
export interface MatchScores extends Readonly<MatchCounts> {
  readonly precision: Figure;
  readonly recall: Figure;
  readonly f1: Figure;
}

/**
 * Returns precision `correct / predicted`, recall `correct / gold` and F1 in percent; null if
 * undefined.
 *
 * @example
 * matchScores({ correct: 1, gold: 2, predicted: 4 }).recall // => 50
 */
export function matchScores(counts: Readonly<MatchCounts>): MatchScores {
  const { correct, gold, predicted } = counts;
  const precision = percent(correct, predicted);
  const recall = percent(correct, gold);
  return { correct, gold, predicted, precision, recall, f1: f1Score(counts) };
}

/**
 * Returns F1, the harmonic mean of precision and recall, in percent: `200 * correct / (gold + predicted)`; null if there is
 * nothing to find and nothing is predicted.
 *
 * @example
 * f1Score({ correct: 1, gold: 1, predicted: 2 }).toFixed(2) // => '66.67'
 * f1Score({ correct: 0, gold: 2, predicted: 0 }) // => 0
 * f1Score({ correct: 0, gold: 0, predicted: 0 }) // => null
 */
export function f1Score({ correct, gold, predicted }: Readonly<MatchCounts>): Figure {
  if (gold + predicted === 0) return null;
  const precision = percent(correct, predicted) ?? 0;
  const recall = percent(correct, gold) ?? 0;
  return correct === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

/**
 * Computes scores from counts; without `spans` if the tags do not mark spans.
 *
 * @example
 * summarize(1, 4, 3) // => { sentences: 1, tokens: 4, accuracy: 75 }
 */
export function summarize(
  sentences: number,
  tokens: number,
  correctTokens: number,
  spans?: Readonly<MatchCounts>,
): Scores {
  const accuracy = percent(correctTokens, tokens);
  if (spans === undefined) return { sentences, tokens, accuracy };
  const { precision, recall, f1 } = matchScores(spans);
  return { sentences, tokens, accuracy, precision, recall, f1 };
}

/**
 * Checks that a sentence has the same number of predicted and gold tags.
 *
 * @throws TagstreamError `length-mismatch`
 * @example
 * assertSameLength(['N', 'V'], ['N', 'N']) // => undefined
 */
export function assertSameLength(gold: readonly unknown[], predicted: readonly string[]): void {
  if (gold.length === predicted.length) return;
  throw new TagstreamError(
    'length-mismatch',
    `${gold.length} gold tags but ${predicted.length} predicted tags`,
    { fix: 'give one gold tag and one predicted tag per token' },
  );
}
