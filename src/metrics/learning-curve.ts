import type { Scores } from '../core/training/training-step.js';

/** Scores of models trained on growing parts of the same data; plain data. */
export interface LearningCurve {
  /** Name of the pipeline. */
  readonly name: string;
  /** In order of the number of records. */
  readonly points: readonly LearningPoint[];
}

/** One model of a learning curve. */
export interface LearningPoint {
  /** Number of training records, the first ones of the source. */
  readonly records: number;
  /** Its scores on the test data. */
  readonly scores: Scores;
}
