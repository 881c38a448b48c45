import type { Schedule } from './schedule.js';

/**
 * eta = eta0 / (1 + decay * passes).
 *
 * @example
 * inverse(0.5, 1)(4) // => 0.1
 */
export function inverse(eta0: number, decay: number): Schedule {
  return passes => eta0 / (1 + decay * passes);
}
