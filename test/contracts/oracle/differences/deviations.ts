import { difference } from './difference.js';

/** The largest difference found of each quantity. */
export class Deviations {
  readonly #largest = new Map<string, number>();

  /** Notes how far `actual` is from `expected`, as `difference` has it. */
  note(quantity: string, actual: ArrayLike<number>, expected: ArrayLike<number>): void {
    const found = difference(actual, expected);
    const before = this.#largest.get(quantity) ?? 0;
    this.#largest.set(quantity, Math.max(before, found));
  }

  /** Every quantity that was further off than `tolerance`, or not a number. */
  beyond(tolerance: number): string[] {
    return [...this.#largest]
      .filter(([, largest]) => !(largest <= tolerance))
      .map(([quantity, largest]) => `${quantity}: ${largest}`);
  }

  toString(): string {
    const parts = [...this.#largest].map(
      ([name, largest]) => `${name} ${largest.toExponential(1)}`,
    );
    return parts.join(', ');
  }
}
