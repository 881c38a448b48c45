import type { Stateful } from '../../core/training/state.js';

/** Follows a series of numbers from 0 to 1, and says when their mean has risen. */
export interface DriftDetector extends Stateful {
  /** Takes the next number; true where the mean has risen. The detector begins again then. */
  add(value: number): boolean;
}
