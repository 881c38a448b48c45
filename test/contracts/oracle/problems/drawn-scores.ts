import type { ChainScores } from '../chain-scores.js';

/** Scores of `length` tokens drawn by `emission` and `transition`; one matrix for all tokens if `shared`. */
export function drawnScores(
  length: number,
  labels: number,
  shared: boolean,
  emission: () => number,
  transition: () => number,
): ChainScores {
  const matrix = () =>
    Array.from({ length: labels }, () => Array.from({ length: labels }, transition));
  const one = matrix();
  return {
    emissions: Array.from({ length }, () => Array.from({ length: labels }, emission)),
    transitions: Array.from({ length }, () => (shared ? one : matrix())),
  };
}
