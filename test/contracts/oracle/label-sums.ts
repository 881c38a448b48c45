import type { Enumeration } from './enumeration.js';

/** A label sequence, and what its sequences of states add up to. */
export interface SummedLabels {
  /** Numbers of the first states of its labels. */
  readonly labels: readonly number[];
  /** log of the sum of exp(score) over its sequences of states. */
  readonly score: number;
}

/** All label sequences that are not forbidden, of labels with hidden states, the largest sums first. */
export function labelSums({ ranked }: Enumeration, states: number): SummedLabels[] {
  const sums = new Map<string, { labels: number[]; terms: number[] }>();
  for (const { path, score } of ranked) {
    const labels = path.map(h => states * Math.floor(h / states));
    const key = labels.join();
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { labels, terms: [score] });
    else known.terms.push(score);
  }
  return [...sums.values()]
    .map(({ labels, terms }) => ({ labels, score: logSum(terms) }))
    .sort((a, b) => b.score - a.score);
}

function logSum(terms: readonly number[]): number {
  const most = Math.max(...terms);
  return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
}
