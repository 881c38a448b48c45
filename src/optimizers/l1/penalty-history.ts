import { bisect } from '../../core/arrays.js';
import { type State, stateArray, stateNumber, wrongState } from '../../core/training/state.js';

/** Changes of sign in a row after which the end of the stretch is looked for. */
const longStretch = 16;
/** Steps to zero from which on it pays to look for where they end. */
const farAway = 32;

/**
 * The steps that naive L1 penalties are made of, so that a weight can be charged for many at once:
 *
 *     w <- w - a_k sign(w),  k = from, ..., to - 1;  sign(0) = 0
 *
 * A weight of more than all of them becomes smaller by their sum. A smaller one crosses zero, and from then on
 * changes its sign with each step: |w| <- a_k - |w|. While the steps do not grow, every second |w| falls, so
 * that the end of such a stretch is found by bisection of alternating sums. The result is that of the single
 * steps but for rounding, which also decides where a weight meets zero to the last digits. Cost O(to - from) at
 * most, where stretches are short, and O(log(to - from)) for a long one.
 */
export class PenaltyHistory {
  /** Steps that fit. */
  static readonly room = 4096;
  /** Number of the first step that is kept. */
  #first = 0;
  #count = 0;
  readonly #steps = new Float64Array(PenaltyHistory.room);
  /** `sums[i]`: of the first i steps. */
  readonly #sums = new Float64Array(PenaltyHistory.room + 1);
  /** `swings[i]`: a_0 - a_1 + a_2 - ..., i of them. */
  readonly #swings = new Float64Array(PenaltyHistory.room + 1);
  #growing = false;

  /** Steps since the start: the number of the next one. */
  get end(): number {
    return this.#first + this.#count;
  }

  /** Whether the history is full: all weights have to be charged, and the history cleared. */
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

  /** A weight that has been charged for all steps before `from`, after those before `to`. */
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
        // Stretches may also be as short as two steps, where bisection would only cost.
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

  /** The most steps that can be taken from a size without falling below 0: up to where. */
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

  /** a_from - a_(from+1) + ..., up to `to`. */
  #swing(from: number, to: number): number {
    const swing = this.#swings[to]! - this.#swings[from]!;
    return from % 2 === 0 ? swing : -swing;
  }

  /**
   * How many steps in a row change the sign of a size below the first of them. After 2i of them it is
   * m_i = size - D_i, with D_i the alternating sum so far; the next one changes the sign as long as
   * m_i < a_2i, and the one after it as long as m_(i+1) > 0. Both fail ever after once they have failed.
   */
  #flips(size: number, from: number, end: number): number {
    const changes = (count: number) => {
      // Whether step number `count` of the stretch, from 0, changes the sign.
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

  /** @throws TagstreamError `checkpoint` if the state does not fit together */
  restore(state: State): void {
    const steps = stateArray(state, 'steps', [Float64Array]);
    if (steps.length > PenaltyHistory.room) throw wrongState('there are too many steps');
    this.#first = stateNumber(state, 'first');
    this.#count = 0;
    this.#growing = false;
    for (const step of steps) this.add(step);
  }
}
