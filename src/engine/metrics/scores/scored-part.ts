import { determinedTag, type PartialTag } from '../../core/sentence/partial-tag.js';
import { spansOf } from '../../text/tags/spans.js';
import { assertSameLength } from './match-counts.js';

/** Gold tags and predicted tags of the same tokens. */
interface TagPair {
  readonly gold: readonly string[];
  readonly predicted: readonly string[];
}

/** The part of predicted tags that can be scored against partially known gold tags. */
export interface ScoredPart {
  /** Tags of the tokens whose gold tag is known. */
  readonly tokens: TagPair;
  /** Tags of all tokens, with `O` for spans that do not count. */
  readonly spans: TagPair;
}

/**
 * Returns the part of a sentence that its gold tags determine.
 *
 * A token counts if its gold tag is known: a tag, or a set with one element. A span, gold or predicted, counts if the
 * gold tags of its tokens and of the tokens before and after it are known; positions beyond the sentence's ends count
 * as known. So the span's correctness does not depend on unknown tags, and whether it counts depends on its position,
 * not on its correctness.
 *
 * Sentences with complete tags are returned unchanged, without a copy.
 *
 * @throws TagstreamError `length-mismatch`
 * @example
 * const { tokens, spans } = scoredPart(['B-X', 'O', null, 'B-X'], ['B-X', 'O', 'O', 'O']);
 * tokens // => { gold: ['B-X', 'O', 'B-X'], predicted: ['B-X', 'O', 'O'] }
 * spans // => { gold: ['B-X', 'O', 'O', 'O'], predicted: ['B-X', 'O', 'O', 'O'] }
 */
export function scoredPart(gold: readonly PartialTag[], predicted: readonly string[]): ScoredPart {
  assertSameLength(gold, predicted);
  if (isWhole(gold)) {
    const whole = { gold, predicted };
    return { tokens: whole, spans: whole };
  }
  const known = gold.map(determinedTag);
  const isKnown = (_: unknown, t: number) => known[t] !== null;
  return {
    tokens: { gold: known.filter(tag => tag !== null), predicted: predicted.filter(isKnown) },
    spans: {
      gold: settled(
        known.map(tag => tag ?? 'O'),
        known,
      ),
      predicted: settled(predicted, known),
    },
  };
}

function isWhole(gold: readonly PartialTag[]): gold is readonly string[] {
  return gold.every(tag => typeof tag === 'string');
}

/** Returns the tags with `O` for each span that contains or touches a token with an unknown tag. */
function settled(tags: readonly string[], known: readonly (string | null)[]): string[] {
  const left = [...tags];
  for (const { start, end } of spansOf(tags)) {
    if (known.slice(Math.max(0, start - 1), end + 1).includes(null)) left.fill('O', start, end);
  }
  return left;
}
