import type { Scores } from '../../core/training/training-step.js';
import { grouped } from '../../core/wording/grouped.js';

/**
 * How many sentences could not be scored, as the end of a line; empty where there are none.
 *
 * @example
 * formatSkipped({ sentences: 1, tokens: 4, accuracy: 100, skipped: 19 }) // => ', 19 skipped that are not fully labelled'
 */
export function formatSkipped({ skipped = 0 }: Scores): string {
  if (skipped === 0) return '';
  return `, ${grouped(skipped)} skipped that ${skipped === 1 ? 'is' : 'are'} not fully labelled`;
}
