import type { Scores } from '../../core/training/training-step.js';
import { type MatchCounts, matchScores } from './match-counts.js';
import { percent } from './percent.js';

/**
 * Scores from counts; without `spans` they are of tags that mark no spans.
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
