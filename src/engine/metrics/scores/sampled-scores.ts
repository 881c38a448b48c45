import { percent } from '../../core/figures.js';
import type { SampleEstimate, ScoreInterval } from '../../core/run-status.js';
import { type State, type Stateful, stateArray } from '../../core/training/state.js';

/** A record's counts: tokens, correct tokens, and spans. */
export interface RecordCounts {
  readonly tokens: number;
  readonly equal: number;
  readonly correct: number;
  readonly gold: number;
  readonly predicted: number;
}

/** Weighted numerator and denominator, then the weighted sums over records of num^2, num den, den^2. */
export type RatioSums = readonly [number, number, number, number, number];

/** Normal quantile: 95 % of values lie within this many standard deviations. */
const deviations95 = 1.96;

/**
 * Returns the variance of a ratio `R = sum w_i a_i / sum w_i b_i` of independent records,
 * linearised like ratio estimators in survey sampling:
 *
 *     sum w_i^2 (a_i - R b_i)^2 / (sum w_i b_i)^2
 *
 * @example
 * // Two records of two tokens with one and two right ones: (0.5^2 + 0.5^2) / 4^2
 * ratioVariance([3, 4, 5, 6, 8]) // => 0.03125
 */
export function ratioVariance([a, b, aa, ab, bb]: RatioSums): number {
  const ratio = a / b;
  return Math.max(0, aa - 2 * ratio * ab + ratio * ratio * bb) / (b * b);
}

/**
 * Accuracy and F1 of all records of a stream, estimated from a random sample of them. Both are ratios over records:
 * correct tokens to tokens, twice the correct spans to gold plus predicted spans. Each record of the stream is
 * sampled with the same probability, so the sample's ratios estimate those of the stream, with a bias of the order of
 * one over the number of sampled records.
 *
 * Tokens of the same record are not independent. The interval is that of Wilson (1927) with the effective sample size
 *
 *     n = R (1 - R) / v,    v = m / (m - 1) * ratioVariance
 *
 * for `m` records, and with `n = m` if `v` is 0, for example if everything is correct. Memory and cost are constant.
 *
 * @example
 * const scores = new SampledScores();
 * scores.add({ tokens: 4, equal: 3, correct: 1, gold: 2, predicted: 1 });
 * scores.add({ tokens: 6, equal: 5, correct: 1, gold: 1, predicted: 1 });
 * const { accuracy, f1 } = scores.estimate(true);
 * [accuracy.score, f1.score, accuracy.low < 80 && accuracy.high > 80] // => [80, 80, true]
 */
export class SampledScores implements Stateful {
  readonly #factor: number;
  /** Sums of weights and of their squares, then five sums each for tokens and spans. */
  readonly #sums = new Float64Array(12);

  /** @param halfLife number of records after which a record counts half; no decay if absent */
  constructor(halfLife = Number.POSITIVE_INFINITY) {
    this.#factor = 2 ** (-1 / halfLife);
  }

  /** Counts a record. */
  add({ tokens, equal, correct, gold, predicted }: RecordCounts): void {
    const factor = this.#factor;
    const squared = factor * factor;
    const sums = this.#sums;
    sums[0] = sums[0]! * factor + 1;
    sums[1] = sums[1]! * squared + 1;
    const ratios = [
      [equal, tokens],
      [2 * correct, gold + predicted],
    ] as const;
    for (const [i, [a, b]] of ratios.entries()) {
      const at = 2 + 5 * i;
      sums[at] = sums[at]! * factor + a;
      sums[at + 1] = sums[at + 1]! * factor + b;
      sums[at + 2] = sums[at + 2]! * squared + a * a;
      sums[at + 3] = sums[at + 3]! * squared + a * b;
      sums[at + 4] = sums[at + 4]! * squared + b * b;
    }
  }

  /**
   * Returns the estimate; undefined before the second record.
   *
   * @param spans whether the tags mark spans
   */
  estimate(spans: boolean): SampleEstimate | undefined {
    const [weights, squares] = this.#sums as unknown as [number, number];
    // Effective number of records with equal weight.
    const records = squares === 0 ? 0 : (weights * weights) / squares;
    const tokens = this.#sums[3]!;
    if (records <= 1 || tokens === 0) return undefined;
    const accuracy = intervalOf(this.#ratio(0), records);
    const f1 = spans ? { f1: intervalOf(this.#ratio(1), records) } : {};
    return { records: weights, tokens, accuracy, ...f1 };
  }

  #ratio(i: number): RatioSums {
    return [...this.#sums.subarray(2 + 5 * i, 7 + 5 * i)] as unknown as RatioSums;
  }

  save(): State {
    return { json: {}, arrays: { sums: this.#sums } };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore(state: State): void {
    const { length } = this.#sums;
    this.#sums.set(stateArray(state, 'sums', [Float64Array], length).subarray(0, length));
  }
}

function intervalOf(sums: RatioSums, records: number): ScoreInterval {
  const [a, b] = sums;
  if (b === 0) return { score: null, low: null, high: null };
  const ratio = a / b;
  const variance = (ratioVariance(sums) * records) / (records - 1);
  const size = variance > 0 ? (ratio * (1 - ratio)) / variance : records;
  const z = deviations95 ** 2 / size;
  const middle = (ratio + z / 2) / (1 + z);
  const half = Math.sqrt(z * (ratio * (1 - ratio) + z / 4)) / (1 + z);
  const within = (value: number) => 100 * Math.min(1, Math.max(0, value));
  return { score: percent(a, b), low: within(middle - half), high: within(middle + half) };
}
