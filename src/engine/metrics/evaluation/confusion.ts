import { assertSameLength, type MatchScores, matchScores } from '../scores/match-counts.js';

/** Number of tokens with the tag `gold` that were tagged `predicted`. */
export interface ConfusionCell {
  readonly gold: string;
  readonly predicted: string;
  readonly count: number;
}

/**
 * Counts of predicted tags for each gold tag. Only pairs that occur take memory.
 *
 * @example
 * const confusion = new Confusion();
 * confusion.add(['N', 'V', 'N'], ['N', 'N', 'N']);
 * confusion.count('V', 'N') // => 1
 * confusion.errors() // => [{ gold: 'V', predicted: 'N', count: 1 }]
 * confusion.of('N').precision.toFixed(2) // => '66.67'
 */
export class Confusion {
  /** Counts by gold tag, then by predicted tag. */
  readonly #rows = new Map<string, Map<string, number>>();

  /**
   * Counts the tokens of one sentence.
   *
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    assertSameLength(gold, predicted);
    for (let t = 0; t < gold.length; t += 1) {
      let row = this.#rows.get(gold[t]);
      if (row === undefined) {
        row = new Map();
        this.#rows.set(gold[t], row);
      }
      row.set(predicted[t], (row.get(predicted[t]) ?? 0) + 1);
    }
  }

  /** All tags seen, gold or predicted, in UTF-16 order. */
  get labels(): string[] {
    const labels = new Set<string>();
    for (const [gold, row] of this.#rows) {
      labels.add(gold);
      for (const predicted of row.keys()) labels.add(predicted);
    }
    return [...labels].sort();
  }

  /** Returns the number of tokens with the tag `gold` that were tagged `predicted`. */
  count(gold: string, predicted: string): number {
    return this.#rows.get(gold)?.get(predicted) ?? 0;
  }

  /**
   * Returns the token counts and percentages of one tag against all others. Costs one lookup per
   * gold tag.
   */
  of(label: string): MatchScores {
    let gold = 0;
    for (const count of this.#rows.get(label)?.values() ?? []) gold += count;
    let predicted = 0;
    for (const row of this.#rows.values()) predicted += row.get(label) ?? 0;
    return matchScores({ correct: this.count(label, label), gold, predicted });
  }

  /**
   * Returns the pairs of different tags, most frequent first, then by name; at most `limit` pairs.
   */
  errors(limit = Number.POSITIVE_INFINITY): ConfusionCell[] {
    const cells: ConfusionCell[] = [];
    for (const [gold, row] of this.#rows) {
      for (const [predicted, count] of row) {
        if (gold !== predicted) cells.push({ gold, predicted, count });
      }
    }
    cells.sort(
      (a, b) => b.count - a.count || compare(a.gold, b.gold) || compare(a.predicted, b.predicted),
    );
    return cells.slice(0, limit);
  }
}

/** Compares by UTF-16 units, so that the order is the same in every locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
