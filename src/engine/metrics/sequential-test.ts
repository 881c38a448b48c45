import { TagstreamError } from '../core/errors.js';
import { requireKnown } from '../core/schema/require-argument.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  wrongState,
} from '../core/training/state.js';

/** Options of a `SequentialTest`: the required confidence. */
export interface SequentialTestOptions {
  /** Probability of a false decision over the whole stream, between 0 and 1. Default 0.05. */
  readonly alpha?: number | undefined;
}

/** Stakes: shares of the wealth bet on the next difference. */
const stakes = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128];

/** Maximum wealth, which keeps the wealth of a decided test finite. */
const mostWealth = 1e200;

/**
 * An anytime-valid test of whether a mean has become positive: that of differences `d_t` from -1 to 1, such as one
 * learner's errors minus another's on sentence `t`.
 *
 * Null hypothesis: `E[d_t | all before] <= 0` for every `t`; no other assumption is made, so differences may be
 * dependent and their variance may change. A bet that starts at `s` with stake `k` and wealth 1 yields
 *
 *     W(s, k, t) = prod over s <= i <= t of (1 + k d_i)
 *
 * Under the null hypothesis no such bet gains on average. The evidence is the mean over the stakes 1/2, 1/4, ... 1/128 of
 *
 *     M(k, t) = (M(k, t - 1) + w_t) (1 + k d_t),    w_t = f(t) - f(t + 1),    f(t) = 1 / (1 + ln t)
 *
 * that is, bets that start at each `t` with a fraction `w_t` of a wealth of 1. Together with the unbet part,
 * `f(t + 1)`, it is a nonnegative supermartingale that starts at 1. So the probability that the evidence ever reaches
 * `1 / alpha` is at most `alpha` (Ville's inequality). Bets that start late detect late changes: after a long run of
 * negative differences, only the small `w_t` is at stake.
 *
 * While the test is undecided, the following holds for all `s <= t`, all stakes and any differences, since
 * `ln(1 + x) >= x - x^2` for x >= -1/2:
 *
 *     sum over s <= i <= t of d_i  <=  ln(7 / (alpha w_s)) / k + k * sum over s <= i <= t of d_i^2
 *
 * Memory and cost per number are constant. Bets: Waudby-Smith and Ramdas 2024. Sums over starting times: Shin, Ramdas
 * and Rinaldo 2024.
 *
 * @example
 * const test = new SequentialTest();
 * for (let t = 0; t < 100; t += 1) test.see(t % 2 === 0 ? 0.5 : -0.5);
 * test.isDecided // => false
 * for (let t = 0; t < 100; t += 1) test.see(t % 4 === 0 ? -0.5 : 0.5);
 * test.isDecided // => true
 */
export class SequentialTest implements Stateful {
  readonly alpha: number;
  readonly #wealth = new Float64Array(stakes.length);
  #count = 0;
  #evidence = 0;
  #isDecided = false;

  /** @throws TagstreamError `config` if alpha is not between 0 and 1 */
  constructor(options: SequentialTestOptions = {}) {
    requireKnown('SequentialTest', options, ['alpha']);
    const { alpha = 0.05 } = options;
    if (!(alpha > 0 && alpha < 1)) {
      throw new TagstreamError('config', `the error probability alpha is ${alpha}`, {
        fix: 'give a number between 0 and 1, such as 0.05',
      });
    }
    this.alpha = alpha;
  }

  /**
   * Adds the next difference.
   *
   * @throws TagstreamError `not-a-number` if it is not between -1 and 1, in which case it does not
   *   count
   */
  see(difference: number): void {
    if (!(difference >= -1 && difference <= 1)) {
      throw new TagstreamError('not-a-number', `the difference ${difference} is not in [-1, 1]`, {
        fix: 'divide differences by the largest possible one',
      });
    }
    this.#count += 1;
    const begun = unbet(this.#count) - unbet(this.#count + 1);
    const wealth = this.#wealth;
    let sum = 0;
    for (let i = 0; i < wealth.length; i += 1) {
      const grown = (wealth[i]! + begun) * (1 + stakes[i]! * difference);
      wealth[i] = Math.min(grown, mostWealth);
      sum += wealth[i]!;
    }
    this.#evidence = sum / stakes.length;
    if (this.#evidence >= 1 / this.alpha) this.#isDecided = true;
  }

  /** Number of differences so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Evidence against the null hypothesis: a test with error probability `alpha` decides when it reaches
   * `1 / alpha`.
   */
  get evidence(): number {
    return this.#evidence;
  }

  /** Whether the evidence has ever reached `1 / alpha`. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  save(): State {
    const json = { alpha: this.alpha, count: this.#count, decided: this.#isDecided };
    return { json, arrays: { wealth: this.#wealth } };
  }

  /** @throws TagstreamError `checkpoint` if the state has a different alpha or is incomplete */
  restore(state: State): void {
    if (state.json.alpha !== this.alpha) {
      const problem = `the test was saved with alpha ${state.json.alpha}, but this run has ${this.alpha}`;
      throw new TagstreamError('checkpoint', problem, {
        fix: 'resume with the settings of the run that wrote the checkpoint',
      });
    }
    const wealth = stateArray(state, 'wealth', [Float64Array], stakes.length);
    const count = stateCount(state, 'count');
    if (typeof state.json.decided !== 'boolean') throw wrongState('decided is not true or false');
    this.#wealth.set(wealth.subarray(0, stakes.length));
    this.#count = count;
    this.#isDecided = state.json.decided;
    this.#evidence = this.#wealth.reduce((sum, one) => sum + one, 0) / stakes.length;
  }
}

/**
 * Returns the part of a wealth of 1 that is not yet bet before number `t`, from 1; it decreases
 * slowly to 0.
 */
function unbet(t: number): number {
  return 1 / (1 + Math.log(t));
}
