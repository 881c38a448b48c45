import { type State, stateArray } from '../../core/training/state.js';

/**
 * Returns the inner product in float64, with four parallel sums because each addition waits for the
 * previous one.
 */
export function dot(x: Float64Array, y: Float64Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = x.length - (x.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += x[i]! * y[i]!;
    b += x[i + 1]! * y[i + 1]!;
    c += x[i + 2]! * y[i + 2]!;
    d += x[i + 3]! * y[i + 3]!;
  }
  for (let i = whole; i < x.length; i += 1) a += x[i]! * y[i]!;
  return a + b + (c + d);
}

/** Returns the Euclidean norm of a vector. */
export function norm(x: Float64Array): number {
  return Math.sqrt(dot(x, x));
}

/** Returns the sum of |x|. */
export function norm1(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) sum += Math.abs(x[i]!);
  return sum;
}

/** Returns the number of nonzero entries of a vector. */
export function countActive(x: Float64Array): number {
  let active = 0;
  for (let i = 0; i < x.length; i += 1) if (x[i] !== 0) active += 1;
  return active;
}

/** Computes into = -x. */
export function negateInto(x: Float64Array, into: Float64Array): void {
  for (let i = 0; i < x.length; i += 1) into[i] = -x[i]!;
}

/**
 * Writes the subgradient of f + l1 * sum |w| nearest to zero, computed from the gradient of f, to
 * `into`:
 *
 *     w_i != 0:  g_i + l1 sign(w_i);   w_i = 0:  sign(g_i) max(|g_i| - l1, 0)
 *
 * Its negative is the direction of steepest descent; it is zero exactly at the minimum of f + l1
 * |w|. Andrew and Gao (2007).
 *
 * @example
 * const into = new Float64Array(3);
 * pseudoGradient(Float64Array.of(2, 0, 0), Float64Array.of(1, 0.5, -3), 1, into);
 * [...into] // => [2, 0, -2]
 */
export function pseudoGradient(
  weights: Float64Array,
  gradient: Float64Array,
  l1: number,
  into: Float64Array,
): void {
  for (let i = 0; i < weights.length; i += 1) {
    const w = weights[i]!;
    const g = gradient[i]!;
    if (w !== 0) into[i] = g + Math.sign(w) * l1;
    else into[i] = Math.abs(g) > l1 ? g - Math.sign(g) * l1 : 0;
  }
}

/**
 * Returns a copy of a vector of a saved state.
 *
 * @throws TagstreamError `checkpoint` if it is absent or too short
 */
export function savedVector(state: State, name: string, length: number): Float64Array {
  return stateArray(state, name, [Float64Array], length).slice(0, length);
}
