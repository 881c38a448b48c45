/**
 * The meaning of labels for spans, as lists of label pairs to sum over; the first `maxLength` span lengths are
 * distinguished.
 *
 * The state of a label sequence at a token is its label and the length of the span that it is in: 0 outside of all
 * spans, 1 to `maxLength`, or `maxLength + 1` for all longer ones. Each label sequence has one sequence of states.
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
  /** The type number of each label, -1 if no span has labels like it. */
  readonly typeOf: Int32Array;
  /** The first label of each type: its lane in rows of weights. */
  readonly lanes: Int32Array;
  /** For each label, the state length at the start of a sentence: 1 if it begins a span. */
  readonly first: Uint8Array;
  /** For each label whether it can be in a span. */
  readonly opens: Uint8Array;
  /** `[from * labels + to]`: 1 if a span starts at `to`, or if the span that `from` is in continues there. */
  readonly startPairs: Uint8Array;
  readonly continuePairs: Uint8Array;
  /**
   * Pairs at which the previous span ends, if there is one; `startsAt`: the length of the state after it, 0 or 1.
   */
  readonly boundaryFrom: Int32Array;
  readonly boundaryTo: Int32Array;
  readonly startsAt: Uint8Array;
  /**
   * The same pairs as masks; within a mask, all pairs with the same second label lead to the same state. One mask is
   * enough unless a label, such as `]-X`, may both begin a span and follow one without beginning another.
   */
  readonly boundaries: readonly BoundaryPairs[];
  /** Pairs that continue a span. */
  readonly insideFrom: Int32Array;
  readonly insideTo: Int32Array;
  /** Pairs that would continue a span, but leave a sequence that is outside of all spans outside. */
  readonly outsideFrom: Int32Array;
  readonly outsideTo: Int32Array;
}

/** Some of the pairs at which spans end. */
export interface BoundaryPairs {
  /** `[from * labels + to]`: 1 for each of them. */
  readonly mask: Uint8Array;
  /** For each second label of a pair, the length of the state that it leads to. */
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
 * Visits the spans marked by the labels `[first, end)`: type number, last token and number of tokens. They equal
 * those of `labelSpans`; nothing is allocated.
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
