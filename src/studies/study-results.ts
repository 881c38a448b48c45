import {
  type CoursePoint,
  type QuantityName,
  quantityOf,
  type RunMeasures,
  type Values,
} from './measures/quantities.js';
import type { MeasuredRun } from './run-study.js';

/** A result summarized over the replications of a variant. */
export interface Summary {
  readonly mean: number;
  /** Standard deviation of the sample; undefined for a single run. */
  readonly deviation: number | undefined;
  readonly count: number;
}

/** The results of a study, by variant and quantity. */
export class StudyResults {
  readonly #runs: readonly MeasuredRun[];

  constructor(runs: readonly MeasuredRun[]) {
    this.#runs = withGaps(runs);
  }

  /** Returns mean and deviation over the replications that have the quantity; undefined if none of them has it. */
  of(row: string, column: string | undefined, quantity: QuantityName): Summary | undefined {
    const found = this.runsOf(row, column)
      .map(measures => measureOf(measures, quantity))
      .filter(value => value !== undefined);
    return found.length === 0 ? undefined : summaryOf(found);
  }

  /** Returns how many of a variant's replications there are, and how many of them diverged. */
  divergenceOf(row: string, column: string | undefined): { runs: number; diverged: number } {
    const runs = this.runsOf(row, column);
    const diverged = runs.filter(measures => measures.diverged !== undefined).length;
    return { runs: runs.length, diverged };
  }

  /** Returns the measures of a variant's replications. */
  runsOf(row: string, column: string | undefined): RunMeasures[] {
    return this.#runs
      .filter(({ run }) => run.row === row && run.column === column)
      .map(({ measures }) => measures);
  }
}

/** Returns a quantity of a run, or of a point in its course. */
export function measureOf(
  { values, times }: Pick<CoursePoint, 'values' | 'times'>,
  quantity: QuantityName,
): number | undefined {
  const from = quantityOf(quantity).varies === true ? times : values;
  return from[quantity] ?? undefined;
}

/**
 * Computes mean and standard deviation of a sample.
 *
 * @example
 * summaryOf([1, 3]) // => { mean: 2, deviation: Math.SQRT2, count: 2 }
 */
export function summaryOf(values: readonly number[]): Summary {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: count < 2 ? undefined : Math.sqrt(squares / (count - 1)), count };
}

/**
 * Adds the quantity `gap` to runs without it: the relative distance (P - D) / P of an objective P from the best dual
 * value D of all runs in its column, an upper bound on its distance from the optimum. Runs without an objective, and
 * columns without a dual, are unchanged.
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
