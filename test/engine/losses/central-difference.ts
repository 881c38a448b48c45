import type { Reals } from '../../../src/engine/core/arrays.js';

const step = 1e-5;

/**
 * The slope of a value in one of the numbers that it depends on; the number is what it was afterwards.
 *
 * @param scale what the number is multiplied by where it is used
 */
export function centralDifference(
  numbers: Reals,
  at: number,
  scale: number,
  value: () => number,
): number {
  const stored = numbers[at]!;
  const shifted = (shift: number) => {
    numbers[at] = stored + shift / scale;
    return value();
  };
  const slope = (shifted(step) - shifted(-step)) / (2 * step);
  numbers[at] = stored;
  return slope;
}
