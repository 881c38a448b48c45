import type { Scores } from '../core/training-step.js';
import { SpanScores } from './span-scores.js';
import { summarize } from './summarize.js';
import { TokenAccuracy } from './token-accuracy.js';

/**
 * The scores of a held-out evaluation: token accuracy, and span precision, recall and F1 where the
 * tags mark spans.
 *
 * @example
 * const tagging = new TaggingScores(true);
 * tagging.add(['B-NP', 'I-NP'], ['B-NP', 'O']);
 * tagging.scores() // => { sentences: 1, tokens: 2, accuracy: 50, precision: 0, recall: 0, f1: 0 }
 */
export class TaggingScores {
  /** Span counts by label; present where the tags mark spans. */
  readonly spans: SpanScores | undefined;
  readonly #accuracy = new TokenAccuracy();
  #sentences = 0;

  /** @param spanScheme whether the tags mark spans (see `isSpanScheme`) */
  constructor(spanScheme: boolean) {
    this.spans = spanScheme ? new SpanScores() : undefined;
  }

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`; nothing is counted then
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    this.#accuracy.add(gold, predicted);
    this.spans?.add(gold, predicted);
    this.#sentences += 1;
  }

  /** Scores of all sentences so far. */
  scores(): Scores {
    return summarize(
      this.#sentences,
      this.#accuracy.tokens,
      this.#accuracy.correct,
      this.spans?.total,
    );
  }
}
