import type { Scores } from '../../core/training/training-step.js';

/**
 * The figures of scores in one line, without the number of sentences.
 *
 * @example
 * formatFigures({ sentences: 2, tokens: 9, accuracy: 88.888 }) // => 'accuracy 88.89 %'
 */
export function formatFigures(scores: Scores): string {
  const accuracy = `accuracy ${scores.accuracy.toFixed(2)} %`;
  if (scores.f1 === undefined) return accuracy;
  const parts = `precision ${scores.precision!.toFixed(2)}, recall ${scores.recall!.toFixed(2)}`;
  return `F1 ${scores.f1.toFixed(2)} (${parts}), ${accuracy}`;
}
