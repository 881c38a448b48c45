import type { ChainScores } from './chain-scores.js';

/** What the recursion finds of a sentence of any length. */
export interface LogRecursion {
  readonly logZ: number;
  /** `[T][L]`. */
  readonly nodes: number[][];
  /** `[T - 1][L][L]`. */
  readonly edges: number[][][];
  readonly bestScore: number;
}

/**
 * log Z, marginals and the best score by the textbook recursions in log space, for sentences too long
 * to enumerate. Forward and backward values are kept as logarithms throughout, so nothing underflows.
 */
export function logRecursion(scores: ChainScores): LogRecursion {
  const { emissions, transitions } = scores;
  const length = emissions.length;
  const labels = emissions[0]!.map((_, y) => y);
  const forward: number[][] = [[...emissions[0]!]];
  let bestSoFar = [...emissions[0]!];
  for (let t = 1; t < length; t += 1) {
    const previous = forward[t - 1]!;
    const into = (y: number, before: readonly number[]) =>
      labels.map(from => before[from]! + transitions[t]![from]![y]! + emissions[t]![y]!);
    forward.push(labels.map(y => logSumExp(into(y, previous))));
    const best = bestSoFar;
    bestSoFar = labels.map(y => Math.max(...into(y, best)));
  }
  const backward: number[][] = new Array(length);
  backward[length - 1] = labels.map(() => 0);
  for (let t = length - 2; t >= 0; t -= 1) {
    backward[t] = labels.map(from =>
      logSumExp(
        labels.map(
          y => transitions[t + 1]![from]![y]! + emissions[t + 1]![y]! + backward[t + 1]![y]!,
        ),
      ),
    );
  }
  const logZ = logSumExp(forward[length - 1]!);
  const nodes = forward.map((row, t) => row.map((a, y) => Math.exp(a + backward[t]![y]! - logZ)));
  const edges = forward.slice(1).map((_, i) =>
    labels.map(from =>
      labels.map(y => {
        const score = transitions[i + 1]![from]![y]! + emissions[i + 1]![y]!;
        return Math.exp(forward[i]![from]! + score + backward[i + 1]![y]! - logZ);
      }),
    ),
  );
  return { logZ, nodes, edges, bestScore: Math.max(...bestSoFar) };
}

function logSumExp(terms: readonly number[]): number {
  const largest = Math.max(...terms);
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  let sum = 0;
  for (const term of terms) sum += Math.exp(term - largest);
  return largest + Math.log(sum);
}
