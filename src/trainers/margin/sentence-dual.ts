import { type DualSequence, goldSequence, type MarginSpace } from './margin-space.js';

/** Shares of a violation below it count as none: sums of scores have no more digits. */
const leastViolation = 1e-13;

/**
 * The dual variables a(y) of the label sequences of a sentence that have any, the gold one first; they sum to 1. Products
 * of sequences are kept, so that a step costs O(sequences). Memory: the square of their number.
 */
export class SentenceDual {
  sequences: DualSequence[];
  alphas: number[];
  readonly #space: MarginSpace;
  readonly #number: number;
  /** Products of each sequence with those before it and itself. */
  #products: number[][] = [[0]];

  /** @param number of the sentence */
  constructor(space: MarginSpace, number: number) {
    this.#space = space;
    this.#number = number;
    this.sequences = [goldSequence(space.gold(number))];
    this.alphas = [1];
  }

  /** Sum of a(y) * cost(y). */
  get cost(): number {
    return this.sequences.reduce((sum, { cost }, k) => sum + this.alphas[k]! * cost, 0);
  }

  /** Adds the sequence with the greatest cost plus score, unless it is there. Cost: that of `MarginSpace.worst`. */
  addWorst(): void {
    const worst = this.#space.worst(this.#number);
    const isKnown = this.sequences.some(({ labels }) =>
      labels.every((y, t) => y === worst.labels[t]),
    );
    if (!isKnown) this.#add(worst, 0);
  }

  #add(sequence: DualSequence, alpha: number): void {
    this.sequences.push(sequence);
    this.alphas.push(alpha);
    this.#products.push(
      this.sequences.map(other => this.#space.product(this.#number, sequence, other)),
    );
  }

  /**
   * Balances pairs of sequences and moves w accordingly. Returns by how much the best of the sequences was above their
   * mean before: what the sentence adds to the gap between primal and dual, as far as its sequences are known. Cost
   * O(parts of the sequences + steps * sequences).
   *
   * @param steps most pairs
   * @param share of the violation to be left at most
   * @param least violation to do anything about
   */
  balance(l2: number, steps: number, share: number, least = 0): number {
    const { sequences, alphas } = this;
    const count = sequences.length;
    if (count === 1) return 0;
    const heights = Float64Array.from(sequences, each => each.cost + this.#space.score(each));
    const before = this.#violation(heights);
    if (!(before > leastViolation * (1 + Math.abs(heights[0]!)))) return 0;
    if (before < least) return before;
    const moves = Float64Array.from(alphas);
    for (let step = 0; step < steps; step += 1) {
      if (!this.#step(heights, l2) || this.#violation(heights) <= share * before) break;
    }
    for (let k = 0; k < count; k += 1) moves[k] = (moves[k]! - alphas[k]!) / (2 * l2);
    this.#space.move(sequences, moves);
    return before;
  }

  /** Max of the heights less their mean. */
  #violation(heights: Float64Array): number {
    let most = Number.NEGATIVE_INFINITY;
    let mean = 0;
    for (let k = 0; k < heights.length; k += 1) {
      if (heights[k]! > most) most = heights[k]!;
      mean += this.alphas[k]! * heights[k]!;
    }
    return most - mean;
  }

  /** Balances the highest sequence with the one that it gains most from; false if there is none. */
  #step(heights: Float64Array, l2: number): boolean {
    const { alphas } = this;
    let high = 0;
    for (let k = 1; k < heights.length; k += 1) if (heights[k]! > heights[high]!) high = k;
    let low = -1;
    let most = 0;
    let delta = 0;
    for (let k = 0; k < heights.length; k += 1) {
      const violation = heights[high]! - heights[k]!;
      if (!(alphas[k]! > 0 && violation > 0)) continue;
      const norm = this.#product(high, high) + this.#product(k, k) - 2 * this.#product(high, k);
      const best = norm > 0 ? (2 * l2 * violation) / norm : Number.POSITIVE_INFINITY;
      const amount = Math.min(alphas[k]!, best);
      const gain = amount * (violation - (amount * norm) / (4 * l2));
      if (!(gain > most)) continue;
      [low, most, delta] = [k, gain, amount];
    }
    if (low < 0) return false;
    alphas[high]! += delta;
    alphas[low] = delta === alphas[low] ? 0 : alphas[low]! - delta;
    const factor = delta / (2 * l2);
    for (let k = 0; k < heights.length; k += 1) {
      heights[k]! -= factor * (this.#product(k, high) - this.#product(k, low));
    }
    return true;
  }

  #product(i: number, j: number): number {
    return i >= j ? this.#products[i]![j]! : this.#products[j]![i]!;
  }

  /** Forgets the sequences whose dual variables are 0, but for the gold one. */
  shrink(): void {
    const kept = this.alphas.flatMap((alpha, k) => (k === 0 || alpha > 0 ? [k] : []));
    if (kept.length === this.alphas.length) return;
    this.#products = kept.map((k, i) => kept.slice(0, i + 1).map(j => this.#product(k, j)));
    this.sequences = kept.map(k => this.sequences[k]!);
    this.alphas = kept.map(k => this.alphas[k]!);
  }

  /** Takes the place of what is there: the labels of sequences, the gold ones first, and their dual variables. */
  restore(labels: readonly Int32Array[], alphas: readonly number[]): void {
    this.sequences = [];
    this.alphas = [];
    this.#products = [];
    for (const [k, each] of labels.entries()) {
      this.#add(this.#space.sequence(this.#number, each), alphas[k]!);
    }
  }
}
