/** What is left of earlier blocks after each further one. */
const memory = 0.9;

/** Variance of costs, as a share of their mean square, below which blocks are taken to be of one size. */
const oneSize = 1e-6;

/**
 * How long blocks take: a time for each block and one for each unit of its cost, by least squares over the blocks of late.
 * A large block counts for as long as its leverage lasts, so that thousands of small ones do not make it forgotten.
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

  /** Milliseconds that a number of blocks will take whose costs have this sum; 0 before the first one. */
  estimate(cost: number, blocks: number): number {
    if (this.#cost === 0) return 0;
    const mean = this.#time / this.#cost;
    const spread = this.#blocks * this.#costSquares - this.#cost ** 2;
    const isOneSize = spread <= oneSize * this.#blocks * this.#costSquares;
    const covariance = this.#blocks * this.#products - this.#cost * this.#time;
    // Where blocks are of one size, all of their time may be that of their cost.
    const slope = isOneSize ? mean : Math.min(mean, Math.max(0, covariance / spread));
    const each = (this.#time - slope * this.#cost) / this.#blocks;
    return each * blocks + slope * cost;
  }
}
