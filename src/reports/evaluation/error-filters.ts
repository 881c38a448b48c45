import { Confusion, type ConfusionCell } from '../../metrics/evaluation/confusion.js';
import type { ScoredSentence } from '../../metrics/evaluation/evaluation.js';
import { typeOf } from '../../text/tags/chunk-boundaries.js';

/** What the shown errors can be filtered by: labels, and pairs of gold tag and predicted tag. */
export class ErrorFilters {
  readonly labels: readonly string[];
  /** The most frequent pairs first. */
  readonly pairs: readonly ConfusionCell[];
  readonly #spanScheme: boolean;
  readonly #labelNumbers: ReadonlyMap<string, number>;
  readonly #pairNumbers: ReadonlyMap<string, number>;

  constructor(errors: readonly ScoredSentence[], spanScheme: boolean) {
    this.#spanScheme = spanScheme;
    const confusion = new Confusion();
    for (const { gold, tags } of errors) confusion.add(gold!, tags);
    this.pairs = confusion.errors();
    const labels = new Set(
      this.pairs.flatMap(({ gold, predicted }) => [this.#label(gold), this.#label(predicted)]),
    );
    this.labels = [...labels].sort();
    this.#labelNumbers = new Map(this.labels.map((label, i) => [label, i]));
    this.#pairNumbers = new Map(
      this.pairs.map(({ gold, predicted }, i) => [key(gold, predicted), i]),
    );
  }

  /** Number of a pair, if some shown sentence has it. */
  pair(gold: string, predicted: string): number | undefined {
    return this.#pairNumbers.get(key(gold, predicted));
  }

  /** Numbers of the labels and pairs that a sentence has errors of. */
  of({ gold, tags }: ScoredSentence): { labels: number[]; pairs: number[] } {
    const labels = new Set<number>();
    const pairs = new Set<number>();
    for (const [t, tag] of tags.entries()) {
      const right = gold![t]!;
      if (tag === right) continue;
      pairs.add(this.pair(right, tag)!);
      labels.add(this.#labelNumbers.get(this.#label(right))!);
      labels.add(this.#labelNumbers.get(this.#label(tag))!);
    }
    return { labels: [...labels], pairs: [...pairs] };
  }

  #label(tag: string): string {
    if (!this.#spanScheme) return tag;
    return typeOf(tag) === '' ? tag : typeOf(tag);
  }
}

function key(gold: string, predicted: string): string {
  return JSON.stringify([gold, predicted]);
}
