import type { Scores } from '../../core/training/training-step.js';

/**
 * Scores as machines are given them: without figures where no sentence could be scored.
 *
 * @example
 * scoresOrNone({ sentences: 0, tokens: 0, accuracy: 0, skipped: 3 }) // => { sentences: 0, tokens: 0, skipped: 3 }
 */
export function scoresOrNone(scores: Scores): Pick<Scores, 'sentences' | 'tokens' | 'skipped'> {
  const { sentences, tokens, skipped = 0 } = scores;
  return sentences === 0 ? { sentences, tokens, skipped } : scores;
}
