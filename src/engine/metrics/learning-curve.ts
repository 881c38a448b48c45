import type { Scores } from '../core/training/training-step.js';

/** Scores of models trained on growing portions of the same data; plain data. */
export interface LearningCurve {
  /** Pipeline name. */
  readonly name: string;
  /** Points in order of the number of records. */
  readonly points: readonly LearningPoint[];
  /** Parts of the data on which training diverged, which gives no point. */
  readonly diverged?: readonly DivergedPoint[];
}

/** A part of the data on which training diverged. */
export interface DivergedPoint {
  readonly records: number;
  readonly reason: string;
}

/** One model of a learning curve. */
export interface LearningPoint {
  /** Number of training records, taken from the beginning of the source. */
  readonly records: number;
  /** The model's scores on the test data. */
  readonly scores: Scores;
}
