import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import { type State, wrongState } from '../../core/training/state.js';
import type { DriftDetector } from './drift-detector.js';

/** Maximum number of buckets of one size. */
const mostBuckets = 5;
/** Minimum count of numbers on each side of a cut. */
const leastNumbers = 5;

/** Sums of the numbers and of their squares, for buckets of one size, newest first. */
interface Row {
  readonly sums: number[];
  readonly squares: number[];
}

/**
 * ADWIN, an adaptive window: keeps the longest window of the latest numbers that has no two parts with different means.
 *
 * With n numbers of variance v in the window, it drops old numbers while some cut into an older part of n0 numbers
 * and a newer part of n1 has
 *
 *     |mean0 - mean1| > sqrt(2 v l / m) + 2 l / (3 m),   1/m = 1/n0 + 1/n1,   l = ln(2 ln(n) / delta)
 *
 * It reports the cuts whose newer part has the higher mean. The window is kept in buckets of 1, 2, 4, ... numbers, at
 * most five of each size, so that memory and the cost per number are O(log n). Bifet and Gavalda (2007).
 *
 * @example
 * const adwin = new Adwin();
 * const found = [];
 * for (let t = 0; t < 400; t += 1) if (adwin.add(t < 200 ? 0.1 : 0.9)) found.push(t);
 * [found.length > 0, found[0] < 220] // => [true, true]
 */
export class Adwin implements DriftDetector {
  readonly #delta: number;
  #rows: Row[] = [];
  #count = 0;
  #sum = 0;
  #squares = 0;

  /** @throws TagstreamError `config` if delta is not between 0 and 1 */
  constructor(options: { readonly delta?: number | undefined } = {}) {
    requireKnown('Adwin', options, ['delta']);
    const { delta = 0.002 } = options;
    if (!(delta > 0 && delta < 1)) {
      throw new TagstreamError('config', `delta of ADWIN is ${delta}`, {
        fix: 'give a number between 0 and 1, such as 0.002',
      });
    }
    this.#delta = delta;
  }

  /** Count of numbers in the window. */
  get count(): number {
    return this.#count;
  }

  add(value: number): boolean {
    this.#count += 1;
    this.#sum += value;
    this.#squares += value * value;
    this.#insert(0, value, value * value);
    let rose = false;
    for (let cut = this.#cut(); cut !== 0; cut = this.#cut()) {
      if (cut > 0) rose = true;
      this.#drop();
    }
    return rose;
  }

  #insert(size: number, sum: number, squares: number): void {
    this.#rows[size] ??= { sums: [], squares: [] };
    const row = this.#rows[size]!;
    row.sums.unshift(sum);
    row.squares.unshift(squares);
    if (row.sums.length <= mostBuckets) return;
    const [older, oldest] = [row.sums.pop()!, row.sums.pop()!];
    const [first, second] = [row.squares.pop()!, row.squares.pop()!];
    this.#insert(size + 1, older + oldest, first + second);
  }

  /**
   * Returns 1 for a cut whose newer part has a higher mean, -1 for one with a lower mean, 0 if there
   * is no cut.
   */
  #cut(): number {
    const n = this.#count;
    if (n < 2 * leastNumbers) return 0;
    const mean = this.#sum / n;
    const variance = Math.max(0, this.#squares / n - mean * mean);
    const log = Math.log((2 * Math.log(n)) / this.#delta);
    let [n0, sum0] = [0, 0];
    for (let size = this.#rows.length - 1; size >= 0; size -= 1) {
      const { sums } = this.#rows[size]!;
      for (let i = sums.length - 1; i >= 0; i -= 1) {
        n0 += 2 ** size;
        sum0 += sums[i]!;
        const n1 = n - n0;
        if (n1 < leastNumbers) return 0;
        if (n0 < leastNumbers) continue;
        const m = 1 / (1 / n0 + 1 / n1);
        const apart = (this.#sum - sum0) / n1 - sum0 / n0;
        const most = Math.sqrt((2 * variance * log) / m) + (2 * log) / (3 * m);
        if (Math.abs(apart) > most) return Math.sign(apart);
      }
    }
    return 0;
  }

  /** Drops the oldest bucket. */
  #drop(): void {
    const size = this.#rows.length - 1;
    const { sums, squares } = this.#rows[size]!;
    this.#count -= 2 ** size;
    this.#sum -= sums.pop()!;
    this.#squares -= squares.pop()!;
    while (this.#rows.length > 0 && this.#rows.at(-1)!.sums.length === 0) this.#rows.pop();
  }

  save(): State {
    const json = {
      ...{ count: this.#count, sum: this.#sum, squares: this.#squares },
      rows: this.#rows.map(({ sums, squares }) => ({ sums: [...sums], squares: [...squares] })),
    };
    return { json, arrays: {} };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore({ json }: State): void {
    const { rows, count, sum, squares } = json as Record<string, unknown>;
    if (!Array.isArray(rows) || ![count, sum, squares].every(Number.isFinite)) {
      throw wrongState('there is no window');
    }
    this.#rows = (rows as Row[]).map(row => ({ sums: [...row.sums], squares: [...row.squares] }));
    [this.#count, this.#sum, this.#squares] = [count as number, sum as number, squares as number];
  }
}
