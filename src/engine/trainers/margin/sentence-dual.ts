import { type DualSequence, goldSequence, type MarginSpace } from './margin-space.js';

/** Relative violation below which it counts as 0: sums of scores are not more precise. */
const leastViolation = 1e-13;

/** Value below which a dual variable becomes 0, which multiplication alone never reaches. */
const leastMass = 1e-9;

/** Maximum number of reductions of a step size per step, and the maximum step size. */
const mostTrials = 40;
const largestStep = 1e9;

/** The growth of a sentence's cost and mean height in a common step. */
export interface StepOfAll {
  readonly cost: number;
  readonly along: number;
}

/** Limits for balancing a sentence's sequences in a visit. */
export interface Visit {
  /** Maximum number of steps. */
  readonly steps: number;
  /** Maximum share of the violation that may be left. */
  readonly share: number;
  /** Minimum violation for which steps are made; default 0. */
  readonly least?: number;
}

/**
 * The nonzero dual variables a(y) of a sentence's label sequences, the gold one first; they sum to 1. Products of
 * sequences are cached, so a step costs O(sequences). Memory: O(sequences^2).
 */
export class SentenceDual {
  sequences: DualSequence[];
  alphas: number[];
  /** Size of the next step of exponentiated gradient. */
  step = 1;
  /** Heights and dual variables at the start of a common step, and the variables before the previous common step. */
  #heightsAtStep: Float64Array = new Float64Array(0);
  #alphasAtStep: Float64Array = new Float64Array(0);
  #before: Float64Array = new Float64Array(0);
  readonly #space: MarginSpace;
  readonly #number: number;
  /** `[room x room]`: inner products of the sequences. */
  #products = new Float64Array(16);
  #room = 4;

  /** @param number index of the sentence */
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

  /**
   * Adds the sequence with the greatest cost plus score, unless it is present, with a dual variable of at most `mass`, as
   * far as it raises the dual. Cost: one `MarginSpace.worst`.
   */
  addWorst(l2: number, mass = 0): void {
    const worst = this.#space.worst(this.#number);
    let at = this.sequences.findIndex(({ labels }) =>
      labels.every((y, t) => y === worst.labels[t]),
    );
    if (at < 0) {
      at = this.sequences.length;
      this.#add(worst, 0);
    }
    if (this.alphas[at]! < mass) this.#enter(at, l2, mass);
  }

  /** Moves mass from all sequences to one. */
  #enter(at: number, l2: number, most: number): void {
    const { alphas } = this;
    const heights = this.#heights();
    const moves = Float64Array.from(alphas, (alpha, k) => (k === at ? 1 - alpha : -alpha));
    const along = moves.reduce((sum, move, k) => sum + move * heights[k]!, 0);
    if (!(along > leastViolation * (1 + Math.abs(heights[0]!)))) return;
    const share = Math.min(most, (2 * l2 * along) / this.#through(moves));
    for (let k = 0; k < moves.length; k += 1) {
      alphas[k]! += share * moves[k]!;
      moves[k]! *= -share / (2 * l2);
    }
    this.#space.move(this.sequences, moves);
  }

  /** Returns |sum of moves * (F(y) - F(y*))|^2, and writes each sequence's product with the sum to `into`. */
  #through(moves: Float64Array, into?: Float64Array): number {
    const products = this.#products;
    let square = 0;
    for (let k = 0; k < moves.length; k += 1) {
      const row = k * this.#room;
      let product = 0;
      for (let j = 0; j < moves.length; j += 1) product += moves[j]! * products[row + j]!;
      if (into !== undefined) into[k] = product;
      square += moves[k]! * product;
    }
    return square;
  }

  /** Returns the heights of all sequences, wrong(y) + w . (F(y) - F(y*)). */
  #heights(): Float64Array {
    return Float64Array.from(this.sequences, each => each.cost + this.#space.score(each));
  }

  #add(sequence: DualSequence, alpha: number): void {
    const at = this.sequences.length;
    this.sequences.push(sequence);
    this.alphas.push(alpha);
    if (at === this.#room)
      this.#keep(
        this.sequences.slice(0, at).map((_, k) => k),
        2 * this.#room,
      );
    for (const [k, other] of this.sequences.entries()) {
      const product = this.#space.product(this.#number, sequence, other);
      this.#products[at * this.#room + k] = product;
      this.#products[k * this.#room + at] = product;
    }
  }

  /** Keeps only the products of some sequences, in their order, with room for others. */
  #keep(kept: readonly number[], room: number): void {
    const products = new Float64Array(room * room);
    for (const [i, k] of kept.entries()) {
      for (const [j, other] of kept.entries()) {
        products[i * room + j] = this.#products[k * this.#room + other]!;
      }
    }
    this.#products = products;
    this.#room = room;
  }

  /**
   * Balances pairs of sequences and moves w accordingly. Returns the initial excess of the best sequence over the mean:
   * the sentence's part of the duality gap within the working set. Cost O(parts of the sequences + steps * sequences).
   */
  balance(l2: number, visit: Visit): number {
    return this.#visited(l2, visit, heights => this.#step(heights, l2));
  }

  /**
   * Balances the sequences like `balance`, but by exponentiated gradient, a(y) <- a(y) exp(step * height(y)) / normaliser.
   * Cost O(parts of the sequences + steps * sequences^2).
   *
   * @param grow maximum growth of the step size after a step
   */
  multiply(l2: number, grow: number, visit: Visit): number {
    return this.#visited(l2, visit, heights => this.#multiplied(heights, l2, grow));
  }

  #visited(
    l2: number,
    { steps, share, least = 0 }: Visit,
    moved: (heights: Float64Array) => boolean,
  ): number {
    const { sequences, alphas } = this;
    const count = sequences.length;
    if (count === 1) return 0;
    const heights = this.#heights();
    const before = this.#violation(heights);
    if (!(before > leastViolation * (1 + Math.abs(heights[0]!)))) return 0;
    if (before < least) return before;
    const moves = Float64Array.from(alphas);
    for (let step = 0; step < steps; step += 1) {
      if (!moved(heights) || this.#violation(heights) <= share * before) break;
    }
    for (let k = 0; k < count; k += 1) moves[k] = (moves[k]! - alphas[k]!) / (2 * l2);
    this.#space.move(sequences, moves);
    return before;
  }

  /** Makes a step of exponentiated gradient; returns false if none raises the dual. */
  #multiplied(heights: Float64Array, l2: number, grow: number): boolean {
    const { alphas } = this;
    const moves = new Float64Array(alphas.length);
    const products = new Float64Array(alphas.length);
    for (let trial = 0; trial < mostTrials; trial += 1) {
      this.#propose(heights, this.step, moves);
      let along = 0;
      for (let k = 0; k < moves.length; k += 1) {
        moves[k]! -= alphas[k]!;
        along += moves[k]! * heights[k]!;
      }
      const across = this.#through(moves, products) / (4 * l2);
      if (!(along > 0)) return false;
      if (along > across) {
        for (let k = 0; k < moves.length; k += 1) {
          alphas[k] = Math.max(0, alphas[k]! + moves[k]!);
          heights[k]! -= products[k]! / (2 * l2);
        }
        this.step = nextStep(this.step, along, across, grow);
        return true;
      }
      this.step = nextStep(this.step, along, across, grow);
    }
    return false;
  }

  /**
   * Begins a common step of all sentences from the same w. Returns the sentence's part of the gap within the working set.
   * Cost O(parts of the sequences).
   */
  beginStep(): number {
    this.#heightsAtStep = this.#heights();
    this.#alphasAtStep = Float64Array.from(this.alphas);
    return this.#violation(this.#heightsAtStep);
  }

  /**
   * Tries the step, and moves w: a(y) becomes a(y) exp(step * height(y)) (a(y) / a'(y))^momentum / normaliser, with a' the
   * variables before the last step. Cost O(parts of the sequences).
   */
  tryStep(l2: number, step: number, momentum: number): StepOfAll {
    const { alphas, sequences } = this;
    const heights = this.#heightsAtStep;
    const moves = new Float64Array(alphas.length);
    this.#propose(heights, step, moves, momentum);
    let cost = 0;
    let along = 0;
    for (let k = 0; k < moves.length; k += 1) {
      const move = moves[k]! - alphas[k]!;
      alphas[k] = moves[k]!;
      along += move * heights[k]!;
      cost += move * sequences[k]!.cost;
      moves[k] = -move / (2 * l2);
    }
    this.#space.move(sequences, moves);
    return { cost, along };
  }

  /** Ends the tried step: keeps it, also for the momentum of the next step, or undoes it. */
  endStep(l2: number, keep: boolean): void {
    const from = this.#alphasAtStep;
    if (keep) {
      this.#before = from;
      return;
    }
    const moves = Float64Array.from(this.alphas, (alpha, k) => (alpha - from[k]!) / (2 * l2));
    for (let k = 0; k < from.length; k += 1) this.alphas[k] = from[k]!;
    this.#space.move(this.sequences, moves);
  }

  /**
   * Writes a(y) exp(step * height(y)) (a(y) / a'(y))^momentum / normaliser to `into`, with a' the previous variables.
   */
  #propose(heights: Float64Array, step: number, into: Float64Array, momentum = 0): void {
    const { alphas } = this;
    let top = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < into.length; k += 1) {
      into[k] = Number.NEGATIVE_INFINITY;
      if (!(alphas[k]! > 0)) continue;
      into[k] = step * heights[k]!;
      const before = this.#before[k]!;
      if (momentum > 0 && before > 0) into[k]! += momentum * Math.log(alphas[k]! / before);
      if (into[k]! > top) top = into[k]!;
    }
    let sum = 0;
    for (let k = 0; k < into.length; k += 1) {
      into[k] = alphas[k]! * Math.exp(into[k]! - top);
      sum += into[k]!;
    }
    let rest = 0;
    for (let k = 0; k < into.length; k += 1) {
      into[k] = into[k]! < leastMass * sum ? 0 : into[k]! / sum;
      rest += into[k]!;
    }
    for (let k = 0; k < into.length; k += 1) into[k]! /= rest;
  }

  /** Returns the maximum height minus the mean height. */
  #violation(heights: Float64Array): number {
    let most = Number.NEGATIVE_INFINITY;
    let mean = 0;
    for (let k = 0; k < heights.length; k += 1) {
      if (heights[k]! > most) most = heights[k]!;
      mean += this.alphas[k]! * heights[k]!;
    }
    return most - mean;
  }

  /** Balances the highest sequence with the one that gains most; returns false if no pair gains. */
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
    return this.#products[i * this.#room + j]!;
  }

  /** Drops the sequences whose dual variables are 0, except the gold one. */
  shrink(): void {
    const kept = this.alphas.flatMap((alpha, k) => (k === 0 || alpha > 0 ? [k] : []));
    if (kept.length === this.alphas.length) return;
    this.#keep(kept, this.#room);
    this.sequences = kept.map(k => this.sequences[k]!);
    this.alphas = kept.map(k => this.alphas[k]!);
  }

  /** Replaces the state by sequences with these labels, gold labels first, and their dual variables. */
  restore(labels: readonly Int32Array[], alphas: readonly number[]): void {
    this.sequences = [];
    this.alphas = [];
    for (const [k, each] of labels.entries()) {
      this.#add(this.#space.sequence(this.#number, each), alphas[k]!);
    }
  }
}

/**
 * Returns the step size scaled by the best share s, after a step that gains `along * s - across * s^2` at share s of its
 * line.
 */
export function nextStep(step: number, along: number, across: number, grow: number): number {
  const best = across > 0 ? along / (2 * across) : grow;
  const factor = best > 0.5 ? Math.min(grow, best) : Math.max(0.1, best);
  return Math.min(largestStep, step * factor);
}
