/**
 * The sizes and table addresses of recursions over scored spans, as written by `SegmentMemory`. Tables of inference
 * are float64 in both precisions, and their tokens are counted from the first of the sentence. A state of a label is
 * the length of the span that it is in, 0 outside of all; `states` is even, lanes past `longest` are 0.
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
  /** Both `[labels]`: state at the first token, and span type, -1 for labels that cannot be in spans. */
  firsts: usize;
  kindOf: usize;
  /** `[boundaries x labels]` whether a span starts after a pair at which spans end, and `[boundaries x labels x width]` which these are. */
  startsAt: usize;
  masks: usize;
  /** Two labels for each pair: those inside spans, then those that stay outside. */
  pairs: usize;
  /** `[insides + outsides]` sums of products for plain transitions. */
  pairSums: usize;
  /** Of the lattice, in its precision and by tokens of the minibatch; slots by tokens of the sentence, 0 without any. */
  emissionScores: usize;
  transitionScores: usize;
  edgeScores: usize;
  slots: usize;
  nodes: usize;
  edges: usize;
  sums: usize;
  /** `[tokens x longest x kinds]` of the minibatch, float64. */
  spanScores: usize;
  spanNodes: usize;
  /** `[tokens x width]` exponentials of labels, and `[tokens x kinds x states]` of spans. */
  emissions: usize;
  spans: usize;
  /** `[1 + boundaries][labels x width]` exponentials of plain transitions, all and by mask, and those of one token. */
  plain: usize;
  own: usize;
  /** `[tokens x labels x states]` forward values, and `[labels x states]` backward values of two tokens. */
  alpha: usize;
  beta: usize;
  after: usize;
  /**
   * `[tokens x width]` the sum up to a label that ends there, and the sum after a label at which a span has ended.
   */
  ends: usize;
  rest: usize;
  /** `[boundaries x tokens x width]` the states reached by a pair at which a span ends. */
  reached: usize;
  /** `[tokens + 1]` the divisors of the forward values, and the sum over all sequences. */
  scales: usize;
  /** `[labels x width]` sums of products around plain transitions into spans whose label before counts. */
  entered: usize;
  /** `[2][labels x width]` sums of edge marginals, and those that are being added. */
  edgeSums: usize;
  /** `[width]` */
  row: usize;
  /**
   * For the best sequence: `[tokens x labels x states]` predecessors of states, `[labels]` the state at which a span ends
   * best.
   */
  before: usize;
  endStates: usize;
  /** `[tokens]` its labels. */
  path: usize;
}

/** Bytes of a row of a label's states, and of a matrix of label pairs. */
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

/** Byte offset of the state of a span that follows label `from`. */
// @ts-expect-error: decorator
@inline
export function enteredBytes(f: Frame, from: i32): usize {
  return (<usize>(1 + from * f.lengths)) << 3;
}

/** The slot of a token with its own transitions, -1 if it has none. */
// @ts-expect-error: decorator
@inline
export function slotOf(f: Frame, t: i32): i32 {
  return f.slots == 0 ? -1 : load<i32>(f.slots + ((<usize>t) << 2));
}
