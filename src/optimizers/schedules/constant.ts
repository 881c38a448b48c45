import type { Schedule } from './schedule.js';

/**
 * eta = eta0, always.
 *
 * @example
 * constant(0.1)(7) // => 0.1
 */
export function constant(eta0: number): Schedule {
  return () => eta0;
}
