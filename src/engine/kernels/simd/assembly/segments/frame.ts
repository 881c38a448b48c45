/**
 * The sizes and table addresses of recursions over scored spans, as written by `SegmentMemory`. Inference tables are
 * float64 in both precisions, and count tokens from the first of the sentence. A label's state is the length of its span,
 * 0 outside all spans; `states` is even, lanes past `longest` are 0.
 */
@unmanaged
export class Frame {
  labels: i32;
  width: i32;
  states: i32;
  longest: i32;
  lengths: i32;
  befores: i32;
  kinds: i32;
  boundaries: i32;
  insides: i32;
  outsides: i32;
  matrixSize: i32;
  /** `[labels]` each: state at the first token; span type, -1 for labels that cannot be in spans. */
  firsts: usize;
  kindOf: usize;
  /**
   * `[boundaries x labels]`: whether a span starts after a pair at which spans end; `[boundaries x labels x width]`:
   * these pairs.
   */
  startsAt: usize;
  masks: usize;
  /** Two labels per pair: pairs inside spans, then pairs that stay outside. */
  pairs: usize;
  /** `[insides + outsides]`: sums of products for plain transitions. */
  pairSums: usize;
  /**
   * Tables of the lattice, in its precision and by tokens of the minibatch; slots by tokens of the sentence, 0 if there
   * are none.
   */
  emissionScores: usize;
  transitionScores: usize;
  edgeScores: usize;
  slots: usize;
  nodes: usize;
  edges: usize;
  sums: usize;
  /** `[tokens x longest x kinds]`: by tokens of the minibatch, float64. */
  spanScores: usize;
  spanNodes: usize;
  /** `[tokens x width]`: exponentials of labels; `[tokens x kinds x states]`: of spans. */
  emissions: usize;
  spans: usize;
  /** `[1 + boundaries][labels x width]`: exponentials of plain transitions, all and by mask; those of one token. */
  plain: usize;
  own: usize;
  /** `[tokens x labels x states]`: forward values; `[labels x states]`: backward values of two tokens. */
  alpha: usize;
  beta: usize;
  after: usize;
  /**
   * `[tokens x width]`: the sum up to a label at which a span ends, and the sum after it.
   */
  ends: usize;
  rest: usize;
  /** `[boundaries x tokens x width]`: the states reached by a pair at which a span ends. */
  reached: usize;
  /** `[tokens + 1]`: the divisors of the forward values, and the sum over all sequences. */
  scales: usize;
  /** `[labels x width]`: sums of products around plain transitions into spans that depend on the previous label. */
  entered: usize;
  /** `[2][labels x width]`: sums of edge marginals, and the marginals being added. */
  edgeSums: usize;
  /** `[width]`: scratch. */
  row: usize;
  /**
   * For the best sequence: `[tokens x labels x states]`: predecessors of states; `[labels]`: the state at which a span
   * ends best.
   */
  before: usize;
  endStates: usize;
  /** `[tokens]`: labels of the best sequence. */
  path: usize;
}

/** Returns the number of bytes of a label's states. */
// @ts-expect-error: decorator
@inline
export function stateBytes(f: Frame): usize {
  return (<usize>f.states) << 3;
}

// @ts-expect-error: decorator
@inline
export function matrixBytes(f: Frame): usize {
  return ((<usize>f.labels) * (<usize>f.width)) << 3;
}

/** Returns the byte offset of the state of a span that follows label `from`. */
// @ts-expect-error: decorator
@inline
export function enteredBytes(f: Frame, from: i32): usize {
  return (<usize>(1 + from * f.lengths)) << 3;
}

/** Returns the slot of a token with its own transitions; -1 if it has none. */
// @ts-expect-error: decorator
@inline
export function slotOf(f: Frame, t: i32): i32 {
  return f.slots == 0 ? -1 : load<i32>(f.slots + ((<usize>t) << 2));
}
