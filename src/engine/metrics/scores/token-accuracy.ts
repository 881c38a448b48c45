import { type Figure, percent } from '../../core/figures.js';
import { assertSameLength } from './match-counts.js';

/**
 * Returns the number of tokens whose predicted tag equals the gold tag.
 *
 * @throws TagstreamError `length-mismatch`
 * @example
 * countEqualTags(['N', 'V', 'N'], ['N', 'N', 'N']) // => 2
 */
export function countEqualTags(gold: readonly string[], predicted: readonly string[]): number {
  assertSameLength(gold, predicted);
  let equal = 0;
  for (let t = 0; t < gold.length; t += 1) if (gold[t] === predicted[t]) equal += 1;
  return equal;
}

/**
 * The share of correct tokens, counted sentence by sentence.
 *
 * @example
 * const accuracy = new TokenAccuracy();
 * accuracy.add(['N', 'V'], ['N', 'N']);
 * accuracy.percent // => 50
 */
export class TokenAccuracy {
  #tokens = 0;
  #correct = 0;

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    this.#correct += countEqualTags(gold, predicted);
    this.#tokens += gold.length;
  }

  /** Returns an accuracy that has counted the same sentences. */
  copy(): TokenAccuracy {
    const copy = new TokenAccuracy();
    copy.#tokens = this.#tokens;
    copy.#correct = this.#correct;
    return copy;
  }

  get tokens(): number {
    return this.#tokens;
  }

  get correct(): number {
    return this.#correct;
  }

  /** `100 * correct / tokens`; null if there are no tokens. */
  get percent(): Figure {
    return percent(this.#correct, this.#tokens);
  }
}
