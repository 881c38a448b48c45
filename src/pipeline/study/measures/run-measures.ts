import type { QuantityName } from './quantities.js';

/** Values of quantities by their names; those that a run does not have are null. */
export type Values = Partial<Record<QuantityName, number | null>>;

/** What was measured of one training. */
export interface RunMeasures {
  /** The same whenever it is repeated. */
  readonly values: Values;
  /** Different each time. */
  readonly times: Values;
  /** In its course, by growing passes; empty where nothing was asked for. */
  readonly course: readonly CoursePoint[];
}

/** What was measured after a pass. */
export interface CoursePoint {
  readonly values: Values;
  readonly times: Values;
}
