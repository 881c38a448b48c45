import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import { type State, stateNumber } from '../../core/training/state.js';
import type { DriftDetector } from './drift-detector.js';

/** Options of `PageHinkley`. */
export interface PageHinkleyOptions {
  /** Tolerated rise of the mean. Default 0.01. */
  readonly tolerance?: number | undefined;
  /** Cumulative excess that counts as drift. Default 5. */
  readonly threshold?: number | undefined;
}

/**
 * The Page-Hinkley test on numbers x_1, x_2, ..., with m_t the mean of the first t:
 *
 *     S_t = S_{t-1} + x_t - m_t - tolerance;   drift where S_t - min S > threshold
 *
 * If the numbers are sentence error rates, 10 sentences that are half wrong reach 5. The test restarts after each
 * drift. Page (1954).
 *
 * @example
 * const test = new PageHinkley();
 * const found = [];
 * for (let t = 0; t < 400; t += 1) if (test.add(t < 200 ? 0.1 : 0.9)) found.push(t);
 * found // => [206]
 */
export class PageHinkley implements DriftDetector {
  readonly #tolerance: number;
  readonly #threshold: number;
  #count = 0;
  #mean = 0;
  #sum = 0;
  #least = 0;

  /**
   * @throws TagstreamError `config` if the tolerance is negative or the threshold is not positive
   */
  constructor(options: PageHinkleyOptions = {}) {
    requireKnown('PageHinkley', options, ['tolerance', 'threshold']);
    const { tolerance = 0.01, threshold = 5 } = options;
    if (!(tolerance >= 0 && threshold > 0)) {
      const given = JSON.stringify({ tolerance, threshold });
      throw new TagstreamError('config', `the Page-Hinkley test cannot use ${given}`, {
        fix: 'give a tolerance of at least 0 and a threshold above 0',
      });
    }
    this.#tolerance = tolerance;
    this.#threshold = threshold;
  }

  add(value: number): boolean {
    this.#count += 1;
    this.#mean += (value - this.#mean) / this.#count;
    this.#sum += value - this.#mean - this.#tolerance;
    this.#least = Math.min(this.#least, this.#sum);
    if (this.#sum - this.#least <= this.#threshold) return false;
    [this.#count, this.#mean, this.#sum, this.#least] = [0, 0, 0, 0];
    return true;
  }

  save(): State {
    const [count, mean, sum, least] = [this.#count, this.#mean, this.#sum, this.#least];
    return { json: { count, mean, sum, least }, arrays: {} };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore(state: State): void {
    this.#count = stateNumber(state, 'count');
    this.#mean = stateNumber(state, 'mean');
    this.#sum = stateNumber(state, 'sum');
    this.#least = stateNumber(state, 'least');
  }
}
