import type { Stateful } from '../../core/training/state.js';

/** Monitors a series of numbers from 0 to 1 for a rise of its mean. */
export interface DriftDetector extends Stateful {
  /**
   * Adds the next number; returns true if the mean has risen, after which the detector restarts.
   */
  add(value: number): boolean;
}
