/**
 * What labels mean for spans, as lists of label pairs to be summed over, for spans of which the first `maxLength`
 * lengths are distinguished.
 *
 * The state of a label sequence at a token is its label and the length of the span that it is in: 0 outside of all
 * spans, 1 to `maxLength`, or `maxLength + 1` for all that is longer. Where the label before a span counts too, it is a
 * part of the state inside a span of up to `maxLength` tokens: `befores` is then the number of labels and 1 more, for spans
 * at the start of a sentence; otherwise it is 1. Each label sequence has one sequence of states.
 *
 * The state of a span of `d` tokens after the label `b` has the number `1 + b * maxLength + d - 1`, that of all longer ones
 * is the last, and that outside of all spans is 0.
 */
export interface SegmentTables {
  readonly labels: number;
  /** The longest span with features of its own. */
  readonly maxLength: number;
  /** Labels before a span that are told apart; 1 if none are. */
  readonly befores: number;
  /** States of a label: `2 + befores * maxLength`. */
  readonly states: number;
  /** Types of spans, in the order of their first labels. */
  readonly types: readonly string[];
  /** For each label the number of its type, -1 where no span has labels like it. */
  readonly typeOf: Int32Array;
  /** For each type the first label of it: its lane in rows of weights. */
  readonly lanes: Int32Array;
  /** For each label whether a sentence that begins with it begins with a span: 0 or 1. */
  readonly first: Uint8Array;
  /** For each label whether it can be in a span. */
  readonly opens: Uint8Array;
  /** `[from * labels + to]`: 1 where a span starts at `to`, and where a span that `from` is in continues there. */
  readonly startPairs: Uint8Array;
  readonly continuePairs: Uint8Array;
  /** Pairs at which the span before ends, if there is one; `startsAt`: whether a span starts after it, 0 or 1. */
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
  /** For each label after a pair whether a span starts there, 0 or 1. */
  readonly startsAt: Uint8Array;
}

/** The state of a label at which a span starts, or does not (`starts` is 0), after a label: -1 at the start of a sentence. */
export function stateAfter(
  { befores, maxLength }: Pick<SegmentTables, 'befores' | 'maxLength'>,
  before: number,
  starts: number,
): number {
  if (starts === 0) return 0;
  if (befores === 1) return 1;
  return 1 + (before < 0 ? befores - 1 : before) * maxLength;
}

/** The state after a state inside a span, if the span goes on. */
export function stateInside(
  { maxLength, states }: Pick<SegmentTables, 'maxLength' | 'states'>,
  state: number,
): number {
  const isLast = state === states - 1 || state % maxLength === 0;
  return isLast ? states - 1 : state + 1;
}

/** The state of a span of `length` tokens that was in state `entered` at its first. */
export function stateAt(
  { maxLength, states }: Pick<SegmentTables, 'maxLength' | 'states'>,
  entered: number,
  length: number,
): number {
  return length > maxLength ? states - 1 : entered + length - 1;
}

/**
 * Visits the spans that the labels `[first, end)` mark: the number of their type, their last token, how many they
 * have, and the label before them, -1 if there is none. They are those of `labelSpans`; nothing is allocated.
 */
export function eachSegment(
  { first: opensFirst, labels, typeOf, startPairs, continuePairs }: SegmentTables,
  path: Int32Array,
  first: number,
  end: number,
  visit: (kind: number, last: number, length: number, before: number) => void,
): void {
  let start = -1;
  for (let t = first; t < end; t += 1) {
    const pair = t === first ? -1 : path[t - 1]! * labels + path[t]!;
    if (start >= 0 && continuePairs[pair] === 0) {
      visit(typeOf[path[start]!]!, t - 1, t - start, start > first ? path[start - 1]! : -1);
      start = -1;
    }
    if ((t === first ? opensFirst[path[t]!] : startPairs[pair]) === 1) start = t;
  }
  if (start >= 0) {
    visit(typeOf[path[start]!]!, end - 1, end - start, start > first ? path[start - 1]! : -1);
  }
}
