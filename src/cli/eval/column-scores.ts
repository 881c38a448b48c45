import type { TaggedSentence } from '../../core/sentence/sentence.js';
import { compared } from './scored-text.js';

/** Number of tokens with a gold value in a column, and number of those predicted correctly. */
export interface ColumnAccuracy {
  readonly tokens: number;
  readonly right: number;
  /** Accuracy in percent. */
  readonly accuracy: number;
}

/** Scores a bundle's further columns on sentences with given tokens. */
export class ColumnScores {
  readonly #counts = new Map<string, { tokens: number; right: number }>();

  /** Counts a tagged sentence, skipping columns that its record does not have. */
  add({ results = {}, columns }: TaggedSentence): void {
    for (const [name, found] of Object.entries(results)) {
      const gold = Object.hasOwn(columns, name) ? columns[name]! : [];
      const own = this.#counts.get(name) ?? { tokens: 0, right: 0 };
      for (const [t, value] of gold.entries()) {
        own.tokens += 1;
        if (compared(name, String(value)) === compared(name, found[t]!)) own.right += 1;
      }
      this.#counts.set(name, own);
    }
  }

  /** Scores of the columns in the records; undefined if there are none. */
  get scores(): Readonly<Record<string, ColumnAccuracy>> | undefined {
    const scored = [...this.#counts].filter(([, { tokens }]) => tokens > 0);
    if (scored.length === 0) return undefined;
    return Object.fromEntries(
      scored.map(([name, own]) => [name, { ...own, accuracy: (100 * own.right) / own.tokens }]),
    );
  }
}
