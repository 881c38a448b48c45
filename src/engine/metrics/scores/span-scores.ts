import { endsChunk, sameType, startsChunk, typeOf } from '../../text/tags/chunk-boundaries.js';
import {
  assertSameLength,
  type MatchCounts,
  type MatchScores,
  matchScores,
} from './match-counts.js';

/**
 * Precision, recall and F1 of spans, overall and for each label, counted sentence by sentence in
 * the manner of conlleval (see `countSpans`).
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
   * @throws TagstreamError `length-mismatch`, in which case nothing is counted
   */
  add(gold: readonly string[], predicted: readonly string[]): void {
    countSpans(gold, predicted, this.#total, this.#byLabel);
  }

  /** Counts and percentages over all labels. */
  get total(): MatchScores {
    return matchScores(this.#total);
  }

  /** Labels of all spans seen, gold or predicted, in UTF-16 order. */
  get labels(): string[] {
    return [...this.#byLabel.keys()].sort();
  }

  /** Returns the counts and percentages of one label; all 0 for a label that was not seen. */
  of(label: string): MatchScores {
    return matchScores(this.#byLabel.get(label) ?? { correct: 0, gold: 0, predicted: 0 });
  }
}

/**
 * Adds the spans of one sentence to `total` and, if given, to their labels' counts in `byLabel`.
 *
 * Counts as conlleval does for a file of this one sentence: every chunk start is a span; a span is
 * correct if both sequences start one of the same type at the same token and both end it at the same
 * token. (A type named `0`, which conlleval treats as no type, is a type here.) Costs one pass; changes
 * `total` and `byLabel` only.
 *
 * @throws TagstreamError `length-mismatch`, in which case nothing is counted
 * @example
 * const total = { correct: 0, gold: 0, predicted: 0 };
 * countSpans(['B-NP', 'I-NP', 'B-VP'], ['B-NP', 'I-NP', 'B-NP'], total);
 * total // => { correct: 1, gold: 2, predicted: 2 }
 */
export function countSpans(
  gold: readonly string[],
  predicted: readonly string[],
  total: MatchCounts,
  byLabel?: Map<string, MatchCounts>,
): void {
  assertSameLength(gold, predicted);
  let lastGold = 'O';
  let lastPredicted = 'O';
  // Whether both are inside a span on which they have agreed from its start to here.
  let agreeing = false;
  for (let t = 0; t < gold.length; t += 1) {
    const goldTag = gold[t];
    const predictedTag = predicted[t];
    if (agreeing) {
      const goldEnds = endsChunk(lastGold, goldTag);
      const predictedEnds = endsChunk(lastPredicted, predictedTag);
      if (goldEnds && predictedEnds && sameType(lastGold, lastPredicted)) {
        agreeing = false;
        add(total, byLabel, lastGold, 'correct');
      } else if (goldEnds !== predictedEnds || !sameType(goldTag, predictedTag)) {
        agreeing = false;
      }
    }
    const goldStarts = startsChunk(lastGold, goldTag);
    const predictedStarts = startsChunk(lastPredicted, predictedTag);
    if (goldStarts) add(total, byLabel, goldTag, 'gold');
    if (predictedStarts) add(total, byLabel, predictedTag, 'predicted');
    if (goldStarts && predictedStarts && sameType(goldTag, predictedTag)) agreeing = true;
    lastGold = goldTag;
    lastPredicted = predictedTag;
  }
  if (agreeing) add(total, byLabel, lastGold, 'correct');
}

function add(
  total: MatchCounts,
  byLabel: Map<string, MatchCounts> | undefined,
  tag: string,
  kind: keyof MatchCounts,
): void {
  total[kind] += 1;
  if (byLabel === undefined) return;
  const label = typeOf(tag);
  const known = byLabel.get(label);
  if (known !== undefined) known[kind] += 1;
  else byLabel.set(label, { correct: 0, gold: 0, predicted: 0, [kind]: 1 });
}
