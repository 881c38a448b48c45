/**
 * How long things took, counted by upper bounds: one addition for each, whatever their number.
 *
 * @example
 * const durations = new Durations([0.1, 1]);
 * for (const seconds of [0.05, 0.1, 3]) durations.add(seconds);
 * durations.counts // => [2, 0, 1]
 * [durations.count, durations.sum] // => [3, 3.15]
 */
export class Durations {
  /** In seconds, ascending. */
  readonly bounds: readonly number[];
  /** Of each bound those above the bound before it and not above it; last those above all. */
  readonly counts: number[];
  count = 0;
  /** In seconds. */
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(seconds: number): void {
    let at = 0;
    while (at < this.bounds.length && seconds > this.bounds[at]!) at += 1;
    this.counts[at]! += 1;
    this.count += 1;
    this.sum += seconds;
  }
}
