import type { Stateful } from '../../core/training/state.js';

/** Monitors a series of numbers from 0 to 1 for a rise of the mean. */
export interface DriftDetector extends Stateful {
  /** Adds the next number; returns true if the mean has risen, and then starts again. */
  add(value: number): boolean;
}
