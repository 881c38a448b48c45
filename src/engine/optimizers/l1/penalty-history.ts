import { bisect } from '../../core/arrays.js';
import { type State, stateArray, stateNumber, wrongState } from '../../core/training/state.js';

/** Number of consecutive sign changes after which the end of the run is searched for. */
const longStretch = 16;
/** Minimum number of steps to zero for which searching for the end of a run pays off. */
const farAway = 32;

/**
 * The steps of naive L1 penalties, with which a weight can be charged for many steps at once:
 *
 *     w <- w - a_k sign(w),  k = from, ..., to - 1;  sign(0) = 0
 *
 * A weight larger than the sum of the steps shrinks by that sum. A smaller one crosses zero, and then changes
 * sign with each step: |w| <- a_k - |w|. While the steps do not grow, every second |w| falls, so bisection over
 * alternating sums finds the end of such a run. The result equals that of single steps up to rounding, which
 * also decides whether a weight hits zero exactly. Cost at most O(to - from) for short runs, and O(log(to -
 * from)) for a long one.
 */
export class PenaltyHistory {
  /** Capacity in steps. */
  static readonly room = 4096;
  /** Number of the first stored step. */
  #first = 0;
  #count = 0;
  readonly #steps = new Float64Array(PenaltyHistory.room);
  /** `sums[i]`: sum of the first i steps. */
  readonly #sums = new Float64Array(PenaltyHistory.room + 1);
  /** `swings[i]`: a_0 - a_1 + a_2 - ..., with i terms. */
  readonly #swings = new Float64Array(PenaltyHistory.room + 1);
  #growing = false;

  /** Number of steps since the start, which is the next step's number. */
  get end(): number {
    return this.#first + this.#count;
  }

  /** Whether the history is full; if so, all weights must be charged and the history cleared. */
  get isFull(): boolean {
    return this.#count === PenaltyHistory.room;
  }

  /** Adds a step, not below 0. */
  add(step: number): void {
    const i = this.#count;
    this.#steps[i] = step;
    this.#sums[i + 1] = this.#sums[i]! + step;
    this.#swings[i + 1] = this.#swings[i]! + (i % 2 === 0 ? step : -step);
    this.#growing ||= i > 0 && step > this.#steps[i - 1]!;
    this.#count += 1;
  }

  /** Forgets all steps; weights are then charged from here on. */
  clear(): void {
    this.#first = this.end;
    this.#count = 0;
    this.#growing = false;
  }

  /**
   * Returns a weight that was charged for the steps before `from`, charged for all steps before `to`.
   */
  charged(weight: number, from: number, to = this.end): number {
    const steps = this.#steps;
    const end = to - this.#first;
    let at = from - this.#first;
    let sign = Math.sign(weight);
    let size = Math.abs(weight);
    let flips = 0;
    while (at < end && size > 0) {
      const step = steps[at]!;
      if (size < step) {
        size = step - size;
        sign = -sign;
        at += 1;
        flips += 1;
        // Runs may have only two steps, for which bisection does not pay off.
        if (flips < longStretch || this.#growing || at === end || size >= steps[at]!) continue;
        const more = this.#flips(size, at, end);
        const swing = this.#swing(at, at + more);
        size = more % 2 === 0 ? size - swing : swing - size;
        if (more % 2 === 1) sign = -sign;
        at += more;
      } else if (size < farAway * step) {
        size -= step;
        at += 1;
      } else {
        const next = this.#lastAbove(size, at, end);
        size -= this.#sums[next]! - this.#sums[at]!;
        at = next;
      }
      flips = 0;
    }
    return size > 0 ? sign * size : 0;
  }

  /** Returns the last step up to which a size stays non-negative. */
  #lastAbove(size: number, from: number, end: number): number {
    const sums = this.#sums;
    const most = sums[from]! + size;
    let low = from + 1;
    let high = end;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (sums[middle]! <= most) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns a_from - a_(from+1) + ..., up to `to`. */
  #swing(from: number, to: number): number {
    const swing = this.#swings[to]! - this.#swings[from]!;
    return from % 2 === 0 ? swing : -swing;
  }

  /**
   * Returns the number of consecutive steps that change the sign of a weight whose size is below the first
   * step. After 2i steps the size is m_i = size - D_i, with D_i the alternating sum so far; the next step
   * changes the sign as long as m_i < a_2i, and the one after it as long as m_(i+1) > 0. Once either condition
   * fails, it never holds again.
   */
  #flips(size: number, from: number, end: number): number {
    const changes = (count: number) => {
      // Whether step `count` of the run, from 0, changes the sign.
      const pairs = count - (count % 2);
      const before = size - this.#swing(from, from + pairs);
      if (count % 2 === 0) return before > 0 && before < this.#steps[from + pairs]!;
      return before - (this.#steps[from + pairs]! - this.#steps[from + count]!) > 0;
    };
    const both = (pair: number) =>
      changes(2 * pair) && (from + 2 * pair + 1 >= end || changes(2 * pair + 1));
    const total = end - from;
    const whole = Math.min(total, 2 * bisect(0, Math.ceil(total / 2), both));
    if (whole === total) return total;
    return changes(whole) ? whole + 1 : Math.max(1, whole);
  }

  save(): State {
    return {
      json: { first: this.#first },
      arrays: { steps: this.#steps.slice(0, this.#count) },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const steps = stateArray(state, 'steps', [Float64Array]);
    if (steps.length > PenaltyHistory.room) throw wrongState('there are too many steps');
    this.#first = stateNumber(state, 'first');
    this.#count = 0;
    this.#growing = false;
    for (const step of steps) this.add(step);
  }
}
