import { countSpans } from '../scores/count-spans.js';
import type { MatchCounts } from '../scores/match-counts.js';
import { countEqualTags } from '../scores/token-accuracy.js';

/** The contribution of one sentence to the scores: its tokens, its correct tokens and its spans. */
export interface SentenceCounts extends Readonly<MatchCounts> {
  readonly tokens: number;
  readonly equal: number;
}

/**
 * Counts of one sentence; its spans are 0 where the tags mark none.
 *
 * @throws TagstreamError `length-mismatch`
 * @example
 * sentenceCounts(['B-X', 'O'], ['B-X', 'B-X'], true) // => { tokens: 2, equal: 1, correct: 1, gold: 1, predicted: 2 }
 */
export function sentenceCounts(
  gold: readonly string[],
  predicted: readonly string[],
  spanScheme: boolean,
): SentenceCounts {
  const equal = countEqualTags(gold, predicted);
  const spans = { correct: 0, gold: 0, predicted: 0 };
  if (spanScheme) countSpans(gold, predicted, spans);
  return { tokens: gold.length, equal, ...spans };
}
