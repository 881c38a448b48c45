/**
 * P-values of several tests, corrected so that the chance of any false rejection among all of them is at most the level
 * that they are compared with (Holm 1979): with the values in order, p_1 <= ... <= p_m,
 *
 *     adjusted_i = min(1, max over j <= i of (m - j + 1) p_j)
 *
 * @returns the adjusted values, in the order of the given ones
 * @example
 * adjustByHolm([0.04, 0.01, 0.03]) // => [0.06, 0.03, 0.06]
 */
export function adjustByHolm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => pValues[a]! - pValues[b]!);
  const adjusted = new Array<number>(pValues.length);
  let most = 0;
  for (const [rank, i] of order.entries()) {
    most = Math.max(most, Math.min(1, (pValues.length - rank) * pValues[i]!));
    adjusted[i] = most;
  }
  return adjusted;
}
