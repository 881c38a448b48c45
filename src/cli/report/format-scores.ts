import type { Scores } from '../../core/training/training-step.js';
import { many } from '../../core/wording/many.js';
import { formatFigures } from './format-figures.js';
import { formatSkipped } from './format-skipped.js';

/**
 * Scores in one line, with the number of sentences that they are of and of those that could not be scored.
 *
 * @example
 * formatScores({ sentences: 2, tokens: 9, accuracy: 88.888 }) // => 'accuracy 88.89 % of 2 sentences'
 * formatScores({ sentences: 0, tokens: 0, accuracy: 0, skipped: 3 }) // => 'no sentence can be scored, 3 skipped that are not fully labelled'
 */
export function formatScores(scores: Scores): string {
  const { sentences } = scores;
  const skipped = formatSkipped(scores);
  if (sentences === 0) return `no sentence can be scored${skipped}`;
  const count = many(sentences, 'sentence');
  return `${formatFigures(scores)} of ${count}${skipped}`;
}
