import type { ChainScores } from './chain-scores.js';

/**
 * All that can be known of a short sentence, by writing out each of its L^T label sequences: no
 * recursion, no scaling, nothing shared with what it is there to check. For L^T up to some 20,000.
 */
export class Enumeration {
  readonly #scores: ChainScores;
  readonly logZ: number;
  /** p(y_t = y | x), `[T][L]`. */
  readonly nodes: number[][];
  /** p(y_{t-1} = from, y_t = to | x), `[T - 1][L][L]`. */
  readonly edges: number[][][];
  /** The best labels; of equally good ones those with the lower label, at the last token first. */
  readonly best: number[];
  readonly bestScore: number;
  /** All label sequences that are not forbidden, the best first; equal ones in the order of `best`. */
  readonly ranked: readonly { readonly path: readonly number[]; readonly score: number }[];
  /** How far the second best sequence is behind; infinite where there is only one. */
  readonly margin: number;

  constructor(scores: ChainScores) {
    this.#scores = scores;
    const length = scores.emissions.length;
    const labels = scores.emissions[0]!.length;
    const paths = allPaths(length, labels);
    const pathScores = paths.map(path => this.pathScore(path));
    const ranked = [...pathScores].sort((a, b) => (a === b ? 0 : b - a));
    this.ranked = paths
      .map((path, i) => ({ path, score: pathScores[i]! }))
      .filter(({ score }) => score > Number.NEGATIVE_INFINITY)
      .sort((a, b) => b.score - a.score);
    this.bestScore = ranked[0]!;
    this.margin = paths.length === 1 ? Number.POSITIVE_INFINITY : ranked[0]! - ranked[1]!;
    this.best = paths[pathScores.indexOf(this.bestScore)]!;
    this.logZ = logSumExp(pathScores);
    this.nodes = zeros(length, labels);
    this.edges = Array.from({ length: length - 1 }, () => zeros(labels, labels));
    for (const [i, path] of paths.entries()) {
      const probability = Math.exp(pathScores[i]! - this.logZ);
      for (let t = 0; t < length; t += 1) {
        this.nodes[t]![path[t]!]! += probability;
        if (t > 0) this.edges[t - 1]![path[t - 1]!]![path[t]!]! += probability;
      }
    }
  }

  /** score(y) = sum_t e_t(y_t) + sum_{t >= 1} a_t(y_{t-1}, y_t). */
  pathScore(path: ArrayLike<number>): number {
    let score = 0;
    for (let t = 0; t < path.length; t += 1) {
      score += this.#scores.emissions[t]![path[t]!]!;
      if (t > 0) score += this.#scores.transitions[t]![path[t - 1]!]![path[t]!]!;
    }
    return score;
  }

  /** The most probable label of each token by itself; of equal ones the lowest. */
  posterior(): number[] {
    return this.nodes.map(row => row.indexOf(Math.max(...row)));
  }

  /** Sum of p(y | x) over the sequences that `counts`. */
  probabilityOf(counts: (path: readonly number[]) => boolean): number {
    let sum = 0;
    for (const { path, score } of this.ranked) if (counts(path)) sum += Math.exp(score - this.logZ);
    return sum;
  }

  /** - sum over y of p(y | x) log p(y | x). */
  entropy(): number {
    return entropyOf(this.ranked.map(({ score }) => Math.exp(score - this.logZ)));
  }

  /** Of each token, half of the entropy of its label given the one before, and half of that given the one behind. */
  entropyShares(): number[] {
    const last = this.nodes.length - 1;
    const given = (condition: readonly number[], pairs: readonly number[][]) =>
      condition.reduce(
        (sum, p, y) => sum + (p === 0 ? 0 : p * entropyOf(pairs[y]!.map(pair => pair / p))),
        0,
      );
    return this.nodes.map((node, t) => {
      const ahead = t === 0 ? entropyOf(node) : given(this.nodes[t - 1]!, this.edges[t - 1]!);
      const behind =
        t === last ? entropyOf(node) : given(this.nodes[t + 1]!, transposed(this.edges[t]!));
      return (ahead + behind) / 2;
    });
  }

  /** The largest sum of node marginals of a sequence that is not forbidden. */
  leastRisk(): number {
    return Math.max(...this.ranked.map(({ path }) => this.expectedRight(path)));
  }

  /** Sum of the node marginals of a sequence. */
  expectedRight(path: ArrayLike<number>): number {
    return this.nodes.reduce((sum, row, t) => sum + row[path[t]!]!, 0);
  }

  /** -log p(gold | x). */
  logLoss(gold: ArrayLike<number>): number {
    return this.logZ - this.pathScore(gold);
  }

  /** score(best) - score(gold). */
  perceptronLoss(gold: ArrayLike<number>): number {
    return this.bestScore - this.pathScore(gold);
  }
}

/** All label sequences, in the order of a dictionary that is read from the last token to the first. */
function entropyOf(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
}

function transposed(matrix: readonly number[][]): number[][] {
  return matrix[0]!.map((_, y) => matrix.map(row => row[y]!));
}

function allPaths(length: number, labels: number): number[][] {
  let paths: number[][] = [[]];
  for (let t = 0; t < length; t += 1) {
    paths = paths.flatMap(path => Array.from({ length: labels }, (_, y) => [y, ...path]));
  }
  return paths;
}

function logSumExp(terms: readonly number[]): number {
  const largest = terms.reduce((a, b) => Math.max(a, b));
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  return largest + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - largest), 0));
}

function zeros(rows: number, columns: number): number[][] {
  return Array.from({ length: rows }, () => new Array<number>(columns).fill(0));
}
