/** Log losses above this one are not exponentiated any more. */
const bound = 10;
const atBound = Math.expm1(bound);
const slopeAtBound = Math.exp(bound);

/**
 * exp(l) - 1 of a log loss l = -log p, that is 1/p - 1, with its derivative.
 *
 * 1/p grows by a factor with every token, up to 10^600 for a sentence of 600 tokens and ten labels. So
 * where l is above 10 (p below 1 in 22,000) the loss continues along its tangent there:
 *
 *     exp(10) - 1 + exp(10) (l - 10)
 *
 * That is still convex in l, and value and derivative go together. A minimum at which no l is above 10
 * is that of the unbounded loss, as far as this is convex; on the way there the longest sentences do not
 * outweigh all others, so that fewer iterations are needed.
 */
export const boundedExponential = {
  bound,
  /** The loss of a log loss, not negative. */
  loss(l: number): number {
    return l <= bound ? Math.expm1(l) : atBound + slopeAtBound * (l - bound);
  },
  /** d loss / d l, at least 1. */
  weight(l: number): number {
    return l <= bound ? Math.exp(l) : slopeAtBound;
  },
} as const;
