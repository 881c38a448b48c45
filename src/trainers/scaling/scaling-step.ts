/** What decides how far a weight goes: counts expected in each group, and what they are to become. */
export interface ScalingInput {
  /** Expected counts by group. */
  readonly expected: readonly Float64Array[];
  /** Totals by group. */
  readonly totals: readonly number[];
  readonly observed: Float64Array;
  readonly weights: Float64Array;
  readonly l2: number;
}

/** A weight moves no further at once: without L2, that of what is never observed would grow forever. */
const mostMove = 2;
const mostRounds = 100;

/**
 * The step d of weight k that solves
 *
 *     sum over groups g of E_g[k] exp(T_g d) + 2 l2 (w_k + d) = observed_k
 *
 * by Newton's method from above, where it is safe as the left side is convex and rises. With one group
 * and no L2 it is log(observed_k / E[k]) / T.
 */
export function scalingStep(input: ScalingInput, k: number): number {
  const { expected, totals, observed, weights, l2 } = input;
  const aim = observed[k]! - 2 * l2 * weights[k]!;
  let start = 0;
  let sum = 0;
  for (const counts of expected) sum += counts[k]!;
  if (sum < aim) {
    start = mostMove;
    for (let g = 0; g < totals.length; g += 1) {
      const count = expected[g]![k]!;
      if (count > 0 && totals[g]! > 0) start = Math.min(start, Math.log(aim / count) / totals[g]!);
    }
  }
  let step = start;
  for (let round = 0; round < mostRounds; round += 1) {
    let excess = 2 * l2 * step - aim;
    let slope = 2 * l2;
    for (let g = 0; g < totals.length; g += 1) {
      const count = expected[g]![k]! * Math.exp(totals[g]! * step);
      excess += count;
      slope += totals[g]! * count;
    }
    // Below zero only by rounding, or where the step is as long as it may be.
    if (excess <= 0 || slope === 0) break;
    const next = Math.max(step - excess / slope, -mostMove);
    if (!(next < step)) break;
    step = next;
  }
  return step;
}
