import type { Schedule } from './schedule.js';

/**
 * eta = eta0 * alpha^passes.
 *
 * @example
 * exponential(0.5, 0.5)(2) // => 0.125
 */
export function exponential(eta0: number, alpha: number): Schedule {
  return passes => eta0 * alpha ** passes;
}
