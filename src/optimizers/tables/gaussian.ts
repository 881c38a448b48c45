/** Sums over numbers: how many, their sum, the sum of their squares. */
export interface Moments {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** A Gaussian density. */
export interface Gaussian {
  readonly mean: number;
  readonly variance: number;
}

/** The logarithm of a density as what 1, x and x^2 are multiplied by. */
export interface GaussianWeights {
  readonly constant: number;
  readonly value: number;
  readonly square: number;
}

/**
 * Mean and variance of the greatest likelihood, mean = sum / n and variance = sum of squares / n - mean^2, at least
 * `floor`; 0 and 1 where there is no number. The variance has some 16 digits less those of mean^2 / variance.
 *
 * @example
 * gaussianOf({ count: 2, sum: 4, squares: 10 }, 1e-6) // => { mean: 2, variance: 1 }
 */
export function gaussianOf({ count, sum, squares }: Moments, floor: number): Gaussian {
  if (count <= 0) return { mean: 0, variance: Math.max(1, floor) };
  const mean = sum / count;
  return { mean, variance: Math.max(squares / count - mean * mean, floor) };
}

/**
 * log N(x; m, v) = -x^2 / 2v + x m / v - m^2 / 2v - log(2 pi v) / 2, as weights of x^2, x and 1.
 *
 * @example
 * gaussianWeights({ mean: 2, variance: 1 }).value // => 2
 */
export function gaussianWeights({ mean, variance }: Gaussian): GaussianWeights {
  return {
    constant: -(mean * mean) / (2 * variance) - Math.log(2 * Math.PI * variance) / 2,
    value: mean / variance,
    square: -1 / (2 * variance),
  };
}
