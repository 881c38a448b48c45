import { countSpans } from './count-spans.js';
import { type MatchCounts, type MatchScores, matchScores } from './match-counts.js';

/**
 * Precision, recall and F1 of spans, overall and for each label, counted sentence by sentence as
 * conlleval counts them (see `countSpans`).
 *
 * @example
 * const scores = new SpanScores();
 * scores.add(['B-NP', 'I-NP', 'B-VP'], ['B-NP', 'I-NP', 'O']);
 * scores.total // => { correct: 1, gold: 2, predicted: 1, precision: 100, recall: 50, f1: 200 / 3 }
 * scores.of('VP').recall // => 0
 * scores.labels // => ['NP', 'VP']
 */
export class SpanScores {
  readonly #total: MatchCounts = { correct: 0, gold: 0, predicted: 0 };
  readonly #byLabel = new Map<string, MatchCounts>();

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`; nothing is counted then
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    countSpans(gold, predicted, this.#total, this.#byLabel);
  }

  /** Counts and percentages over all labels. */
  get total(): MatchScores {
    return matchScores(this.#total);
  }

  /** The labels of all spans seen, gold or predicted, in the order of their UTF-16 units. */
  get labels(): string[] {
    return [...this.#byLabel.keys()].sort();
  }

  /** Counts and percentages of one label; all 0 for a label that was not seen. */
  of(label: string): MatchScores {
    return matchScores(this.#byLabel.get(label) ?? { correct: 0, gold: 0, predicted: 0 });
  }
}
