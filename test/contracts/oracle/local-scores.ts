import type { ChainScores } from './chain-scores.js';

/**
 * The scores of a maximum entropy Markov model by its definition: no label has a score of its own but at the first
 * token, and a transition has the log of p(to | from, x).
 */
export function localScores({ emissions, transitions }: ChainScores): ChainScores {
  return {
    emissions: emissions.map((row, t) => (t === 0 ? logShares(row) : row.map(() => 0))),
    transitions: transitions.map((matrix, t) =>
      matrix.map(row => logShares(row.map((score, to) => score + emissions[t]![to]!))),
    ),
  };
}

/** log of exp(score) / sum of them all. */
function logShares(scores: readonly number[]): number[] {
  const most = scores.reduce((a, b) => Math.max(a, b));
  const sum = scores.reduce((all, score) => all + Math.exp(score - most), 0);
  return scores.map(score => score - most - Math.log(sum));
}
