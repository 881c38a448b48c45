import type { Values } from './measures/run-measures.js';
import type { MeasuredRun } from './run-study.js';

/**
 * The runs with the quantity `gap` where they have none: how far an objective P is above the best dual value D of all runs of
 * its column, (P - D) / P, at most so far above the optimum. What has no objective, or a column without a dual, stays as
 * it is.
 */
export function withGaps(runs: readonly MeasuredRun[]): MeasuredRun[] {
  const bounds = new Map<string | undefined, number>();
  for (const { run, measures } of runs) {
    for (const { values } of [measures, ...measures.course]) {
      const { objective, gap } = values;
      if (typeof objective !== 'number' || typeof gap !== 'number') continue;
      const bound = objective * (1 - gap);
      bounds.set(run.column, Math.max(bound, bounds.get(run.column) ?? Number.NEGATIVE_INFINITY));
    }
  }
  return runs.map(({ run, measures }) => {
    const bound = bounds.get(run.column);
    if (bound === undefined) return { run, measures };
    const course = measures.course.map(point => ({
      ...point,
      values: filled(point.values, bound),
    }));
    return { run, measures: { ...measures, values: filled(measures.values, bound), course } };
  });
}

function filled(values: Values, bound: number): Values {
  const { objective, gap } = values;
  if (typeof objective !== 'number' || gap !== null) return values;
  return { ...values, gap: Math.max(0, objective - bound) / Math.abs(objective) };
}
