/** Penalties and steps of AdaGrad, as its options name them. */
export interface CompositeOptions {
  readonly eta0: number;
  readonly delta: number;
  readonly l1: number;
  readonly l2: number;
}

/**
 * The step of composite mirror descent for one weight, and k steps without a gradient at once.
 *
 * With h = delta + sqrt(sum of squared gradients), r1 = eta l1 / N and r2 = 2 eta l2 / N, a step without a
 * gradient makes |w| into max(0, h |w| - r1) / (h + r2). As h stays the same, k of them make it
 *
 *     max(0, a^k |w| - (1 - a^k) r1 / r2),  a = h / (h + r2);   without L2: max(0, |w| - k r1 / h)
 */
export class CompositePenalty {
  /** Whether weights owe anything at all. */
  readonly charges: boolean;
  readonly #eta: number;
  readonly #delta: number;
  readonly #r1: number;
  readonly #r2: number;

  constructor({ eta0, delta, l1, l2 }: CompositeOptions, corpusSize: number) {
    this.charges = l1 > 0 || l2 > 0;
    this.#eta = eta0;
    this.#delta = delta;
    this.#r1 = (eta0 * l1) / corpusSize;
    this.#r2 = (2 * eta0 * l2) / corpusSize;
  }

  /** The weight after a step with the gradient `g`, whose square is in `squares` already. */
  step(weight: number, g: number, squares: number): number {
    // Most weights of a sparse model: they stay 0, whatever h is.
    if (weight === 0 && this.#eta * Math.abs(g) <= this.#r1) return 0;
    const h = this.#delta + Math.sqrt(squares);
    const u = h * weight - this.#eta * g;
    const size = Math.abs(u) - this.#r1;
    if (size <= 0) return 0;
    return (u > 0 ? size : -size) / (h + this.#r2);
  }

  /** The weight after `count` steps without a gradient. */
  charged(weight: number, squares: number, count: number): number {
    const h = this.#delta + Math.sqrt(squares);
    let size = Math.abs(weight);
    if (this.#r2 === 0) size -= (count * this.#r1) / h;
    else {
      // 1 - a^k without the loss of digits of a near 1.
      const lost = -Math.expm1(-count * Math.log1p(this.#r2 / h));
      size -= lost * (size + this.#r1 / this.#r2);
    }
    if (size <= 0) return 0;
    return weight > 0 ? size : -size;
  }
}
