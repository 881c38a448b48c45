/**
 * What labels mean for spans, as lists of label pairs to be summed over, for spans of which the first `maxLength`
 * lengths are distinguished.
 *
 * The state of a label sequence at a token is its label and the length of the span that it is in: 0 outside of all
 * spans, 1 to `maxLength`, or `maxLength + 1` for all that is longer. Each label sequence has one sequence of states.
 */
export interface SegmentTables {
  readonly labels: number;
  /** The longest span with features of its own. */
  readonly maxLength: number;
  /** States of a label: `maxLength + 2`. */
  readonly states: number;
  /** Types of spans, in the order of their first labels. */
  readonly types: readonly string[];
  /** For each label the number of its type, -1 where no span has labels like it. */
  readonly typeOf: Int32Array;
  /** For each type the first label of it: its lane in rows of weights. */
  readonly lanes: Int32Array;
  /** For each label whether a sentence that begins with it begins with a span: the length of its state there. */
  readonly first: Uint8Array;
  /** For each label whether it can be in a span. */
  readonly opens: Uint8Array;
  /** `[from * labels + to]`: 1 where a span starts at `to`, and where a span that `from` is in continues there. */
  readonly startPairs: Uint8Array;
  readonly continuePairs: Uint8Array;
  /** Pairs at which the span before ends, if there is one; `startsAt`: the length of the state after it, 0 or 1. */
  readonly boundaryFrom: Int32Array;
  readonly boundaryTo: Int32Array;
  readonly startsAt: Uint8Array;
  /**
   * The same pairs as masks, such that in each all pairs with one label after them lead to one of its states. One is
   * enough, unless a label may both begin a span and follow one without beginning another, as `]-X`.
   */
  readonly boundaries: readonly BoundaryPairs[];
  /** Pairs that keep a span going. */
  readonly insideFrom: Int32Array;
  readonly insideTo: Int32Array;
  /** Pairs after which a sequence outside of all spans stays outside, though they would keep a span going. */
  readonly outsideFrom: Int32Array;
  readonly outsideTo: Int32Array;
}

/** Some of the pairs at which spans end. */
export interface BoundaryPairs {
  /** `[from * labels + to]`: 1 for each of them. */
  readonly mask: Uint8Array;
  /** For each label after a pair the length of the state that it leads to. */
  readonly startsAt: Uint8Array;
}

/**
 * Visits the spans that the labels `[first, end)` mark: the number of their type, their last token and how many they
 * have. They are those of `labelSpans`; nothing is allocated.
 */
export function eachSegment(
  { first: opensFirst, labels, typeOf, startPairs, continuePairs }: SegmentTables,
  path: Int32Array,
  first: number,
  end: number,
  visit: (kind: number, last: number, length: number) => void,
): void {
  let start = -1;
  for (let t = first; t < end; t += 1) {
    const pair = t === first ? -1 : path[t - 1]! * labels + path[t]!;
    if (start >= 0 && continuePairs[pair] === 0) {
      visit(typeOf[path[start]!]!, t - 1, t - start);
      start = -1;
    }
    if ((t === first ? opensFirst[path[t]!] : startPairs[pair]) === 1) start = t;
  }
  if (start >= 0) visit(typeOf[path[start]!]!, end - 1, end - start);
}
