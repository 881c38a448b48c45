/** Value and slope of a function along a line at one step. */
export interface LinePoint {
  readonly step: number;
  readonly value: number;
  readonly slope: number;
}

const sufficientDecrease = 1e-4;
const mostEvaluations = 40;

/**
 * Returns a step that satisfies the strong Wolfe conditions, with phi(a) the function along the line:
 *
 *     phi(a) <= phi(0) + 1e-4 a phi'(0)   and   |phi'(a)| <= c |phi'(0)|
 *
 * Steps grow until an interval must contain such a step; cubic interpolation then narrows the interval.
 * Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6. The result is the last
 * evaluated point, or undefined if no step was found because the value is at the limit of precision.
 *
 * @param at evaluates a step; the last call is for the returned step
 * @param first the first step to try
 * @param curvature c, from 1e-4 to 1; the smaller, the more exact
 */
export function wolfeLineSearch(
  at: (step: number) => LinePoint,
  start: LinePoint,
  first: number,
  curvature = 0.9,
): LinePoint | undefined {
  const falls = ({ step, value }: LinePoint) =>
    value <= start.value + sufficientDecrease * step * start.slope;
  const flat = ({ slope }: LinePoint) => Math.abs(slope) <= -curvature * start.slope;
  let evaluations = 0;
  let low = start;
  let high: LinePoint | undefined;
  let step = first;
  while (evaluations < mostEvaluations) {
    const point = at(step);
    evaluations += 1;
    if (!falls(point) || (high === undefined && low !== start && point.value >= low.value)) {
      high = point;
    } else if (high !== undefined && point.value >= low.value) {
      high = point;
    } else if (flat(point)) {
      return point;
    } else if (high === undefined) {
      if (point.slope >= 0) high = low;
      low = point;
    } else {
      if (point.slope * (high.step - low.step) >= 0) high = low;
      low = point;
    }
    if (high === undefined) {
      step = 2 * low.step;
      continue;
    }
    if (Math.abs(high.step - low.step) <= 1e-12 * Math.max(low.step, high.step)) break;
    step = between(low, high);
  }
  // The best step found, if it lowers the function.
  return low === start ? undefined : at(low.step);
}

/** Returns the minimum of the cubic through two points, kept away from the ends of the interval. */
function between(low: LinePoint, high: LinePoint): number {
  const width = high.step - low.step;
  const d1 = low.slope + high.slope - (3 * (low.value - high.value)) / (low.step - high.step);
  const square = d1 * d1 - low.slope * high.slope;
  const d2 = Math.sign(width) * Math.sqrt(square);
  const cubic = high.step - (width * (high.slope + d2 - d1)) / (high.slope - low.slope + 2 * d2);
  const least = Math.min(low.step, high.step) + 0.1 * Math.abs(width);
  const most = Math.max(low.step, high.step) - 0.1 * Math.abs(width);
  if (!Number.isFinite(cubic)) return low.step + width / 2;
  return Math.min(Math.max(cubic, least), most);
}
