import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/wording/nearest.js';
import { diversity } from './diversity.js';
import { entropy } from './entropy.js';
import { leastConfidence } from './least-confidence.js';
import { margin } from './margin.js';
import { random } from './random.js';
import { sequential } from './sequential.js';
import { spans } from './spans.js';
import type { Strategy } from './strategy.js';

/** Every strategy, as `--strategy` knows them. */
export const strategies: readonly Strategy[] = [
  ...[sequential, random, leastConfidence, margin, entropy, diversity, spans],
];

/**
 * The strategy of a name.
 *
 * @throws TagstreamError `usage`
 * @example
 * strategyOf('entropy').order // => 'score'
 */
export function strategyOf(name: string): Strategy {
  const found = strategies.find(each => each.name === name);
  if (found !== undefined) return found;
  throw new TagstreamError('usage', `there is no strategy "${name}"`, {
    fix: suggestion(
      name,
      strategies.map(each => each.name),
    ),
  });
}
