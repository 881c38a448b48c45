import type { Scores } from '../../core/training/training-step.js';
import { SpanScores } from './span-scores.js';
import { summarize } from './summarize.js';
import { TagScores } from './tag-scores.js';
import { TokenAccuracy } from './token-accuracy.js';

/**
 * The scores of a held-out evaluation: token accuracy, and span precision, recall and F1 where the
 * tags mark spans.
 *
 * @example
 * const tagging = new TaggingScores(true);
 * tagging.add(['B-NP', 'I-NP'], ['B-NP', 'O']);
 * tagging.scores().tagF1 // => 200 / 3
 * tagging.scores().f1 // => 0
 */
export class TaggingScores {
  /** Span counts by label; present where the tags mark spans. */
  readonly spans: SpanScores | undefined;
  readonly #tags: TagScores | undefined;
  readonly #accuracy = new TokenAccuracy();
  #sentences = 0;

  /** @param spanScheme whether the tags mark spans (see `isSpanScheme`) */
  constructor(spanScheme: boolean) {
    this.spans = spanScheme ? new SpanScores() : undefined;
    this.#tags = spanScheme ? new TagScores() : undefined;
  }

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`; nothing is counted then
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    this.#accuracy.add(gold, predicted);
    this.spans?.add(gold, predicted);
    this.#tags?.add(gold, predicted);
    this.#sentences += 1;
  }

  /** Scores of all sentences so far. */
  scores(): Scores {
    const { tokens, correct } = this.#accuracy;
    const scores = summarize(this.#sentences, tokens, correct, this.spans?.total);
    return this.#tags === undefined ? scores : { ...scores, tagF1: this.#tags.total.f1 };
  }
}
