/**
 * The meaning of labels for spans, as lists of label pairs to sum over; span lengths up to `maxLength` are
 * distinguished.
 *
 * The state of a label sequence at a token is its label and the current length of the span it is in: 0 outside all
 * spans, 1 to `maxLength`, or `maxLength + 1` for longer spans. Each label sequence has exactly one sequence of
 * states.
 */
export interface SegmentTables {
  readonly labels: number;
  /** Maximum length of a span with its own features. */
  readonly maxLength: number;
  /** Number of labels before a span that are distinguished; 1 if none are. */
  readonly befores: number;
  /** Number of states per label: `2 + befores * maxLength`. */
  readonly states: number;
  /** Span types, in the order of their first labels. */
  readonly types: readonly string[];
  /** Type index of each label; -1 if the label cannot be in a span. */
  readonly typeOf: Int32Array;
  /** The first label of each type, which is its lane in weight rows. */
  readonly lanes: Int32Array;
  /** For each label, the state's length at the start of a sentence: 1 if it begins a span. */
  readonly first: Uint8Array;
  /** For each label, whether it can be in a span. */
  readonly opens: Uint8Array;
  /** `[from * labels + to]`: 1 if a span starts at `to`, or the span of `from` continues there. */
  readonly startPairs: Uint8Array;
  readonly continuePairs: Uint8Array;
  /**
   * Pairs at which the previous span, if any, ends; `startsAt` is the length of the state after it, 0 or 1.
   */
  readonly boundaryFrom: Int32Array;
  readonly boundaryTo: Int32Array;
  readonly startsAt: Uint8Array;
  /**
   * The same pairs as masks; within a mask, all pairs with the same second label lead to the same state. One mask
   * suffices unless a label, such as `]-X`, can both begin a span and follow one without beginning another.
   */
  readonly boundaries: readonly BoundaryPairs[];
  /** Pairs that continue a span. */
  readonly insideFrom: Int32Array;
  readonly insideTo: Int32Array;
  /** Pairs that would continue a span, but leave a sequence outside all spans outside. */
  readonly outsideFrom: Int32Array;
  readonly outsideTo: Int32Array;
}

/** A mask of label pairs at which spans end. */
export interface BoundaryPairs {
  /** `[from * labels + to]`: 1 for each of these pairs. */
  readonly mask: Uint8Array;
  /** For each second label of a pair, the length of the resulting state. */
  readonly startsAt: Uint8Array;
}

/**
 * Returns the state of a label at which a span starts (unless `starts` is 0), after the label `before`, -1 at the
 * start of a sentence.
 */
export function stateAfter(
  { befores, maxLength }: Pick<SegmentTables, 'befores' | 'maxLength'>,
  before: number,
  starts: number,
): number {
  if (starts === 0) return 0;
  if (befores === 1) return 1;
  return 1 + (before < 0 ? befores - 1 : before) * maxLength;
}

/** Returns the state that follows a state inside a span if the span continues. */
export function stateInside(
  { maxLength, states }: Pick<SegmentTables, 'maxLength' | 'states'>,
  state: number,
): number {
  const isLast = state === states - 1 || state % maxLength === 0;
  return isLast ? states - 1 : state + 1;
}

/** Returns the state of a span of `length` tokens that was in state `entered` at its first token. */
export function stateAt(
  { maxLength, states }: Pick<SegmentTables, 'maxLength' | 'states'>,
  entered: number,
  length: number,
): number {
  return length > maxLength ? states - 1 : entered + length - 1;
}

/**
 * Visits the spans marked by the labels `[first, end)`, with type index, last token and number of tokens. They are
 * the same as with `labelSpans`, but nothing is allocated.
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
