/** Factor by which the weight of earlier blocks decays per block. */
const memory = 0.9;

/** Variance of costs, as a share of their mean square, below which blocks count as equally large. */
const oneSize = 1e-6;

/**
 * Estimates how long blocks take: a time per block and one per unit of cost, by least squares over recent blocks. A large
 * block counts for as long as its leverage lasts, so that it is not forgotten among thousands of small ones.
 *
 * @example
 * const pace = new Pace();
 * for (const cost of [100, 100, 5000, 100, 100]) pace.add(cost, 2 + cost / 1000);
 * Math.round(pace.estimate(50_000, 2)) // => 54
 */
export class Pace {
  #blocks = 0;
  #cost = 0;
  #time = 0;
  #costSquares = 0;
  #products = 0;

  add(cost: number, milliseconds: number): void {
    this.#blocks = memory * this.#blocks + 1;
    this.#cost = memory * this.#cost + cost;
    this.#time = memory * this.#time + milliseconds;
    this.#costSquares = memory * this.#costSquares + cost * cost;
    this.#products = memory * this.#products + cost * milliseconds;
  }

  /** Returns the expected milliseconds for a number of blocks with a total cost; 0 before the first block. */
  estimate(cost: number, blocks: number): number {
    if (this.#cost === 0) return 0;
    const mean = this.#time / this.#cost;
    const spread = this.#blocks * this.#costSquares - this.#cost ** 2;
    const isOneSize = spread <= oneSize * this.#blocks * this.#costSquares;
    const covariance = this.#blocks * this.#products - this.#cost * this.#time;
    // If blocks are equally large, their time may depend on the cost alone.
    const slope = isOneSize ? mean : Math.min(mean, Math.max(0, covariance / spread));
    const each = (this.#time - slope * this.#cost) / this.#blocks;
    return each * blocks + slope * cost;
  }
}
