import type { ChainScores } from './chain-scores.js';
import { noteScores } from './last-problem.js';

interface RankedPath {
  readonly path: readonly number[];
  readonly score: number;
}

interface Marginals {
  readonly nodes: number[][];
  readonly edges: number[][][];
}

/**
 * All that can be known of a short sentence, by writing out each of its L^T label sequences: no
 * recursion, no scaling, nothing shared with what it is there to check. For L^T up to some 20,000.
 */
export class Enumeration {
  readonly #scores: ChainScores;
  readonly #paths: readonly (readonly number[])[];
  readonly #pathScores: readonly number[];
  readonly logZ: number;
  readonly bestScore: number;
  #marginals: Marginals | undefined;
  #ranked: readonly RankedPath[] | undefined;

  /** Writes out the scores of all sequences; what few tests look at is made when they do. */
  constructor(scores: ChainScores) {
    this.#scores = scores;
    noteScores(scores);
    this.#paths = allPaths(scores.emissions.length, scores.emissions[0]!.length);
    this.#pathScores = this.#paths.map(path => this.pathScore(path));
    this.bestScore = this.#pathScores.reduce((a, b) => Math.max(a, b));
    this.logZ = logSumExp(this.#pathScores);
  }

  /** p(y_t = y | x), `[T][L]`. */
  get nodes(): number[][] {
    this.#marginals ??= this.#sumMarginals();
    return this.#marginals.nodes;
  }

  /** p(y_{t-1} = from, y_t = to | x), `[T - 1][L][L]`. */
  get edges(): number[][][] {
    this.#marginals ??= this.#sumMarginals();
    return this.#marginals.edges;
  }

  /** The best labels; of equally good ones those with the lower label, at the last token first. */
  get best(): readonly number[] {
    return this.#paths[this.#pathScores.indexOf(this.bestScore)]!;
  }

  /** All label sequences that are not forbidden, the best first; equal ones in the order of `best`. */
  get ranked(): readonly RankedPath[] {
    this.#ranked ??= this.#paths
      .map((path, i) => ({ path, score: this.#pathScores[i]! }))
      .filter(({ score }) => score > Number.NEGATIVE_INFINITY)
      .sort((a, b) => b.score - a.score);
    return this.#ranked;
  }

  /** How far the second best sequence is behind; infinite where there is only one. */
  get margin(): number {
    const best = this.#pathScores.indexOf(this.bestScore);
    const others = this.#pathScores.filter((_, i) => i !== best);
    return this.bestScore - others.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  }

  #sumMarginals(): Marginals {
    const length = this.#scores.emissions.length;
    const labels = this.#scores.emissions[0]!.length;
    const nodes = zeros(length, labels);
    const edges = Array.from({ length: length - 1 }, () => zeros(labels, labels));
    for (const [i, path] of this.#paths.entries()) {
      const probability = Math.exp(this.#pathScores[i]! - this.logZ);
      for (let t = 0; t < length; t += 1) {
        nodes[t]![path[t]!]! += probability;
        if (t > 0) edges[t - 1]![path[t - 1]!]![path[t]!]! += probability;
      }
    }
    return { nodes, edges };
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

function entropyOf(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
}

function transposed(matrix: readonly number[][]): number[][] {
  return matrix[0]!.map((_, y) => matrix.map(row => row[y]!));
}

/** Sequences that are the same for most problems: those of few tokens and labels. */
const shortPaths = new Map<string, readonly (readonly number[])[]>();

/** All label sequences, in the order of a dictionary that is read from the last token to the first. */
function allPaths(length: number, labels: number): readonly (readonly number[])[] {
  const key = `${length} ${labels}`;
  const known = shortPaths.get(key);
  if (known !== undefined) return known;
  let paths: number[][] = [[]];
  for (let t = 0; t < length; t += 1) {
    paths = paths.flatMap(path => Array.from({ length: labels }, (_, y) => [y, ...path]));
  }
  if (paths.length <= 5000) shortPaths.set(key, paths);
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
