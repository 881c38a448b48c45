/**
 * The subgradient of f + l1 * sum |w| that is nearest to zero, from the gradient of f, into `into`:
 *
 *     w_i != 0:  g_i + l1 sign(w_i);   w_i = 0:  sign(g_i) max(|g_i| - l1, 0)
 *
 * Minus it is the direction of steepest descent; it is zero where and only where f + l1 |w| has its
 * minimum. Andrew and Gao (2007).
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
