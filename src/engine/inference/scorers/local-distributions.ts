import type { Lattice } from '../../kernels/lattice.js';

/** Limit below which the remainder of a sum of exponentials is no longer exact. */
const smallestSum = 1e-200;

/**
 * The local distributions p(y_t | y_{t-1}, x) of a lattice's batch; memory grows with the largest
 * batch and is reused. Always float64, whatever the lattice's precision.
 */
export class LocalDistributions {
  readonly #lattice: Lattice;
  /** `[tokens x width]` the linear scores s_t(j) of the labels. */
  #scores = new Float64Array(0);
  /** `[tokens x width]` log N_t(i); the same for all i at a sentence's first token. */
  #logs = new Float64Array(0);
  /** `[labels x labels]` exp(e(i, j) - max_j e(i, j)) of the plain transitions. */
  #exps = new Float64Array(0);
  /** `[labels]` max_j e(i, j). */
  #maxima = new Float64Array(0);
  /** `[labels]` exp(s_t(j) - max_j s_t(j)). */
  #row = new Float64Array(0);

  private constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /** Returns the instance of a lattice. */
  static of(lattice: Lattice): LocalDistributions {
    let found = distributions.get(lattice);
    if (found === undefined) {
      found = new LocalDistributions(lattice);
      distributions.set(lattice, found);
    }
    return found;
  }

  /**
   * See `Scorer.fill`. Cost O(T L^2), with L exponentials per token, L^2 if it has edge features.
   */
  fill(): void {
    const { batch, emissionScores, width, labels } = this.#lattice;
    const { sentenceStarts, tokens } = batch!;
    this.#reserve(tokens * width, labels);
    const scores = emissionScores.view;
    const kept = this.#scores;
    const logs = this.#logs;
    for (let i = 0; i < tokens * width; i += 1) kept[i] = scores[i]!;
    this.#exponentiate();
    for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
      const first = sentenceStarts[s]!;
      const end = sentenceStarts[s + 1]!;
      for (let t = first; t < end; t += 1) {
        const row = t * width;
        if (t === first) {
          logs.fill(this.#logSum(row), row, row + labels);
          for (let y = row; y < row + labels; y += 1) scores[y] = kept[y]! - logs[row]!;
        } else {
          this.#normalise(t);
          const before = row - width;
          const constant = t - 1 === first ? logs[before]! : 0;
          for (let y = 0; y < labels; y += 1) {
            scores[before + y] = kept[before + y]! - constant - logs[row + y]!;
          }
        }
      }
    }
  }

  /**
   * See `Scorer.spread`: with r_t and r_t(i, j) the residuals at the potentials,
   *
   *     at s_t(j): r_t(j) - sum_i r_{t-1}(i) p(j | i, x_t),   at e_t(i, j): r_t(i, j) - r_{t-1}(i) p(j | i, x_t).
   *
   * Cost O(T L) for each label whose residual is not zero.
   */
  spread(s: number): void {
    const lattice = this.#lattice;
    const { width, matrixSize, labels } = lattice;
    const first = lattice.batch!.sentenceStarts[s]!;
    const end = lattice.batch!.sentenceStarts[s + 1]!;
    const residuals = lattice.nodes.view;
    const sums = lattice.transitions.view;
    const slotted = lattice.edges.view;
    const plain = lattice.transitionScores.view;
    const conditioned = lattice.edgeScores.view;
    const scores = this.#scores;
    const logs = this.#logs;
    // Backwards, because the previous token's residuals must still be those at the potentials.
    for (let t = end - 1; t > first; t -= 1) {
      const row = t * width;
      const slot = lattice.edgeSlots[t]!;
      const table = slot < 0 ? plain : conditioned;
      for (let i = 0; i < labels; i += 1) {
        const residual = residuals[row - width + i]!;
        if (residual === 0) continue;
        const sum = s * matrixSize + i * width;
        const edge = slot * matrixSize + i * width;
        const from = slot < 0 ? i * width : edge;
        const log = logs[row + i]!;
        for (let j = 0; j < labels; j += 1) {
          const share = residual * Math.exp(scores[row + j]! + table[from + j]! - log);
          residuals[row + j]! -= share;
          sums[sum + j]! -= share;
          if (slot >= 0) slotted[edge + j]! -= share;
        }
      }
    }
    const row = first * width;
    let residual = 0;
    for (let i = 0; i < labels; i += 1) residual += residuals[row + i]!;
    if (residual === 0) return;
    for (let j = 0; j < labels; j += 1) {
      residuals[row + j]! -= residual * Math.exp(scores[row + j]! - logs[row]!);
    }
  }

  /** See `Scorer.surplus`: -log N_{t+1}(y), and at the first token also -log N_t. */
  surplus(t: number, y: number): number {
    const { batch, width } = this.#lattice;
    const starts = batch!.sentenceStarts;
    const isFirst = starts.includes(t);
    const isLast = starts.includes(t + 1);
    const own = isFirst ? this.#logs[t * width]! : 0;
    return 0 - own - (isLast ? 0 : this.#logs[(t + 1) * width + y]!);
  }

  /** Computes log N_t(i) for all i, for a token that is not the first. */
  #normalise(t: number): void {
    const { width, labels, edgeSlots } = this.#lattice;
    const row = t * width;
    if (edgeSlots[t]! >= 0) {
      for (let i = 0; i < labels; i += 1) this.#logs[row + i] = this.#logSumOf(t, i);
      return;
    }
    const exps = this.#exps;
    const own = this.#row;
    let most = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < labels; j += 1) most = Math.max(most, this.#scores[row + j]!);
    for (let j = 0; j < labels; j += 1) own[j] = Math.exp(this.#scores[row + j]! - most);
    for (let i = 0; i < labels; i += 1) {
      let sum = 0;
      const from = i * labels;
      for (let j = 0; j < labels; j += 1) sum += own[j]! * exps[from + j]!;
      this.#logs[row + i] =
        sum > smallestSum ? most + this.#maxima[i]! + Math.log(sum) : this.#logSumOf(t, i);
    }
  }

  /** Returns log N_t(i) for any scores. */
  #logSumOf(t: number, i: number): number {
    const { width, labels, matrixSize, edgeSlots, edgeScores, transitionScores } = this.#lattice;
    const slot = edgeSlots[t]!;
    const edges = slot < 0 ? transitionScores.view : edgeScores.view;
    const from = Math.max(0, slot) * matrixSize + i * width;
    const scores = this.#scores;
    const row = t * width;
    let most = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < labels; j += 1) {
      most = Math.max(most, scores[row + j]! + edges[from + j]!);
    }
    let sum = 0;
    for (let j = 0; j < labels; j += 1) {
      sum += Math.exp(scores[row + j]! + edges[from + j]! - most);
    }
    return most + Math.log(sum);
  }

  /** Returns the log of the sum of exp(s(j)) over a row. */
  #logSum(row: number): number {
    const { labels } = this.#lattice;
    let most = Number.NEGATIVE_INFINITY;
    for (let j = row; j < row + labels; j += 1) most = Math.max(most, this.#scores[j]!);
    let sum = 0;
    for (let j = row; j < row + labels; j += 1) sum += Math.exp(this.#scores[j]! - most);
    return most + Math.log(sum);
  }

  #exponentiate(): void {
    const { labels, width, transitionScores } = this.#lattice;
    const scores = transitionScores.view;
    for (let i = 0; i < labels; i += 1) {
      let most = Number.NEGATIVE_INFINITY;
      for (let j = 0; j < labels; j += 1) most = Math.max(most, scores[i * width + j]!);
      this.#maxima[i] = most;
      for (let j = 0; j < labels; j += 1) {
        this.#exps[i * labels + j] = Math.exp(scores[i * width + j]! - most);
      }
    }
  }

  #reserve(lanes: number, labels: number): void {
    if (this.#scores.length < lanes) {
      this.#scores = new Float64Array(2 * lanes);
      this.#logs = new Float64Array(2 * lanes);
    }
    if (this.#row.length >= labels) return;
    this.#row = new Float64Array(labels);
    this.#maxima = new Float64Array(labels);
    this.#exps = new Float64Array(labels * labels);
  }
}

const distributions = new WeakMap<Lattice, LocalDistributions>();
