import type { Precision } from '../../../../src/engine/core/arrays.js';
import type { ChainScores } from '../chain-scores.js';

/** The scores as a kernel of this precision keeps them: the oracle has to start from the same numbers. */
export function roundedScores(scores: ChainScores, precision: Precision): ChainScores {
  if (precision === 'float64') return scores;
  const rows = (matrix: readonly (readonly number[])[]) => matrix.map(row => row.map(Math.fround));
  return { emissions: rows(scores.emissions), transitions: scores.transitions.map(rows) };
}
