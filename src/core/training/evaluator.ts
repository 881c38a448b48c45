import type { Scores } from './training-step.js';

/** Scores the current model on held-out data without changing it; injected into `evaluate`. */
export interface Evaluator {
  evaluate(): Scores;
}
