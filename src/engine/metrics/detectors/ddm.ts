import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import { type State, stateNumber } from '../../core/training/state.js';
import type { DriftDetector } from './drift-detector.js';

/** Options of `Ddm`. */
export interface DdmOptions {
  /** Minimum count of numbers before the first test. Default 30. */
  readonly least?: number | undefined;
  /** Number of standard deviations above the best state that counts as drift. Default 3. */
  readonly deviations?: number | undefined;
}

/**
 * The drift detection method: compares the current error rate with the stream's best state.
 *
 * With the mean p of t numbers and s = sqrt(p (1 - p) / t), the standard deviation of an error rate over t numbers, it
 * remembers the time at which p + s was lowest, and reports drift if
 *
 *     p + s >= p_least + deviations * s_least
 *
 * It restarts after each drift. Gama, Medas, Castillo and Rodrigues (2004).
 *
 * @example
 * const ddm = new Ddm();
 * const found = [];
 * for (let t = 0; t < 400; t += 1) if (ddm.add(t < 200 ? 0.1 : 0.9)) found.push(t);
 * [found.length > 0, found[0] < 220] // => [true, true]
 */
export class Ddm implements DriftDetector {
  readonly #least: number;
  readonly #deviations: number;
  #count = 0;
  #mean = 0;
  #best = Number.MAX_VALUE;
  #bestMean = 0;
  #bestSpread = 0;

  /** @throws TagstreamError `config` for options that are out of range */
  constructor(options: DdmOptions = {}) {
    requireKnown('Ddm', options, ['least', 'deviations']);
    const { least = 30, deviations = 3 } = options;
    if (!(Number.isSafeInteger(least) && least >= 1 && deviations > 0)) {
      const given = JSON.stringify({ least, deviations });
      throw new TagstreamError('config', `DDM cannot use ${given}`, {
        fix: 'give least as a whole number of at least 1, and deviations above 0',
      });
    }
    this.#least = least;
    this.#deviations = deviations;
  }

  add(value: number): boolean {
    this.#count += 1;
    this.#mean += (value - this.#mean) / this.#count;
    if (this.#count < this.#least) return false;
    const spread = Math.sqrt(Math.max(0, this.#mean * (1 - this.#mean)) / this.#count);
    const now = this.#mean + spread;
    if (now <= this.#best) {
      [this.#best, this.#bestMean, this.#bestSpread] = [now, this.#mean, spread];
      return false;
    }
    if (now < this.#bestMean + this.#deviations * this.#bestSpread) return false;
    [this.#count, this.#mean, this.#best] = [0, 0, Number.MAX_VALUE];
    [this.#bestMean, this.#bestSpread] = [0, 0];
    return true;
  }

  save(): State {
    const json = {
      ...{ count: this.#count, mean: this.#mean, best: this.#best },
      ...{ bestMean: this.#bestMean, bestSpread: this.#bestSpread },
    };
    return { json, arrays: {} };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore(state: State): void {
    this.#count = stateNumber(state, 'count');
    this.#mean = stateNumber(state, 'mean');
    this.#best = stateNumber(state, 'best');
    this.#bestMean = stateNumber(state, 'bestMean');
    this.#bestSpread = stateNumber(state, 'bestSpread');
  }
}
