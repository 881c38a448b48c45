import { assertSameLength } from './assert-same-length.js';
import { type MatchCounts, type MatchScores, matchScores } from './match-counts.js';

/**
 * Precision, recall and F1 of the single tags of a span scheme other than `O`, token by token: what studies report
 * that do not count whole spans.
 *
 * @example
 * const scores = new TagScores();
 * scores.add(['B-NP', 'I-NP', 'O'], ['B-NP', 'O', 'B-VP']);
 * scores.total // => { correct: 1, gold: 2, predicted: 2, precision: 50, recall: 50, f1: 50 }
 */
export class TagScores {
  readonly #total: MatchCounts = { correct: 0, gold: 0, predicted: 0 };

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`; nothing is counted then
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    assertSameLength(gold, predicted);
    const total = this.#total;
    for (let t = 0; t < gold.length; t += 1) {
      const [right, found] = [gold[t]!, predicted[t]!];
      if (right !== 'O') total.gold += 1;
      if (found === 'O') continue;
      total.predicted += 1;
      if (found === right) total.correct += 1;
    }
  }

  /** Counts and percentages over all tags. */
  get total(): MatchScores {
    return matchScores(this.#total);
  }
}
