import type { Scores } from '../../core/training/training-step.js';
import { inBio } from '../../text/tags/convert-tags.js';
import { type DifferentSchemes, SchemeCounts } from '../../text/tags/detect-scheme.js';
import { isSpanScheme, type TagScheme } from '../../text/tags/tag-scheme.js';
import {
  assertSameLength,
  type MatchCounts,
  type MatchScores,
  matchScores,
  summarize,
} from './match-counts.js';
import { SpanScores } from './span-scores.js';
import { TokenAccuracy } from './token-accuracy.js';

/**
 * Token-level precision, recall and F1 of a span scheme's tags other than `O`, as reported by studies that do
 * not count whole spans.
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
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
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

  /** Returns scores that have counted the same sentences. */
  copy(): TagScores {
    const copy = new TagScores();
    Object.assign(copy.#total, this.#total);
    return copy;
  }
}

/** Gold and predicted tags of one sentence. */
export interface TagPair {
  readonly gold: readonly string[];
  readonly predicted: readonly string[];
}

/**
 * Compares gold and predicted tags over a whole data set to detect whether they use the same scheme.
 *
 * @example
 * const watch = new SchemeWatch('BIO');
 * watch.add(['U-PER'], ['B-PER']) // => { gold: ['B-PER'], predicted: ['B-PER'] }
 * watch.difference // => ({ gold: 'BILOU', model: 'BIO' })
 */
export class SchemeWatch {
  readonly #gold = new SchemeCounts();
  readonly #predicted = new SchemeCounts();
  readonly #scheme: TagScheme | undefined;

  /** @param scheme scheme of the predicted tags; detected if absent */
  constructor(scheme?: TagScheme) {
    this.#scheme = scheme;
  }

  /** Counts one sentence; returns its tags in BIO: the given lists, if they are. */
  add(gold: readonly string[], predicted: readonly string[]): TagPair {
    this.#gold.add(gold);
    if (this.#scheme === undefined) this.#predicted.add(predicted);
    return { gold: inBio(gold), predicted: inBio(predicted) };
  }

  /** The schemes, if they differ. */
  get difference(): DifferentSchemes | undefined {
    return this.#gold.differsFrom(this.#scheme ?? this.#predicted.scheme);
  }
}

/**
 * The scores of a held-out evaluation: token accuracy, and span precision, recall and F1 if the tags mark
 * spans. If gold and predicted tags use different schemes, tag scores are computed after conversion to
 * BIO, and `schemes` names the schemes.
 *
 * @example
 * const tagging = new TaggingScores(true);
 * tagging.add(['B-NP', 'I-NP'], ['B-NP', 'O']);
 * tagging.scores().tagF1 // => 200 / 3
 * tagging.scores().f1 // => 0
 */
export class TaggingScores {
  /** Span counts by label; present if the tags mark spans. */
  readonly spans: SpanScores | undefined;
  readonly #watch: SchemeWatch | undefined;
  readonly #own = { accuracy: new TokenAccuracy(), tags: new TagScores() };
  /** Scores in BIO, from the first sentence whose tags are not BIO; until then they are those of the tags themselves. */
  #inBio: { readonly accuracy: TokenAccuracy; readonly tags: TagScores } | undefined;
  #sentences = 0;

  /**
   * @param spanScheme whether the tags mark spans (see `isSpanScheme`)
   * @param scheme scheme of the predicted tags; detected if absent
   */
  constructor(spanScheme: boolean, scheme?: TagScheme) {
    this.spans = spanScheme ? new SpanScores() : undefined;
    this.#watch = spanScheme ? new SchemeWatch(scheme) : undefined;
  }

  /**
   * Counts one sentence.
   *
   * @returns the sentence's tags in BIO, if tags mark spans
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(gold: readonly string[], predicted: readonly string[]): TagPair {
    assertSameLength(gold, predicted);
    this.#sentences += 1;
    const { accuracy, tags } = this.#own;
    const converted = this.#watch?.add(gold, predicted) ?? { gold, predicted };
    if (converted.gold !== gold || converted.predicted !== predicted) {
      this.#inBio ??= { accuracy: accuracy.copy(), tags: tags.copy() };
    }
    accuracy.add(gold, predicted);
    if (this.spans !== undefined) {
      this.spans.add(gold, predicted);
      tags.add(gold, predicted);
    }
    this.#inBio?.accuracy.add(converted.gold, converted.predicted);
    this.#inBio?.tags.add(converted.gold, converted.predicted);
    return converted;
  }

  /** The schemes of gold and predicted tags, if they differ. */
  get schemes(): DifferentSchemes | undefined {
    return this.#watch?.difference;
  }

  /** Returns the scores of all sentences so far. */
  scores(): Scores {
    const { schemes } = this;
    const { accuracy, tags } = isConverted(schemes) ? (this.#inBio ?? this.#own) : this.#own;
    const { tokens, correct } = accuracy;
    const scores = summarize(this.#sentences, tokens, correct, this.spans?.total);
    if (this.#watch === undefined) return scores;
    return { ...scores, tagF1: tags.total.f1, ...(schemes === undefined ? {} : { schemes }) };
  }
}

/** Whether tag scores use converted tags: gold tags that do not mark spans cannot be converted. */
export function isConverted(schemes: DifferentSchemes | undefined): boolean {
  return schemes !== undefined && isSpanScheme(schemes.gold);
}
