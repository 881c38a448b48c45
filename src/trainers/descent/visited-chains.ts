import { multiply, normalise, stepBackward, stepForward } from '../chains/chain-steps.js';
import type { ChainedCorpus } from '../chains/chained-corpus.js';

/**
 * The sentences of an observation during a visit. What stands before its first and behind its last
 * occurrence in a sentence does not change while only its weights move: forward vectors up to the first,
 * backward vectors down to the last.
 */
export interface VisitedChains {
  readonly count: number;
  readonly tokens: number;
  /** Sentence `i` of the visit has the occurrences `[from[i], from[i + 1])`. */
  readonly from: Uint32Array;
  /** Its number in the corpus. */
  readonly numbers: Uint32Array;
  /** `[count x labels]` forward vector of the token before the first occurrence, with sum 1. */
  readonly before: Float64Array;
  /** `[count x labels]` backward vector at the last occurrence, with sum 1. */
  readonly behind: Float64Array;
  /** What both add to log Z, less the scores of the gold labels of tokens that are no occurrence. */
  readonly base: Float64Array;
  /** Most tokens from a first occurrence to a last one. */
  readonly longest: number;
}

/** Runs the recursions up to the occurrences of an observation. Cost: those over the rest of its sentences. */
export function visitedChains(chains: ChainedCorpus, occurrences: Uint32Array): VisitedChains {
  const { starts, potentials } = chains;
  const { labels } = potentials;
  const numbers: number[] = [];
  const from: number[] = [];
  let s = 0;
  for (let k = 0; k < occurrences.length; k += 1) {
    const token = occurrences[k]!;
    if (numbers.length > 0 && token < starts[s + 1]!) continue;
    s = sentenceOf(starts, token);
    numbers.push(s);
    from.push(k);
  }
  const count = numbers.length;
  from.push(occurrences.length);
  const before = new Float64Array(count * labels);
  const behind = new Float64Array(count * labels);
  const base = new Float64Array(count);
  let tokens = 0;
  let longest = 0;
  for (let i = 0; i < count; i += 1) {
    const start = starts[numbers[i]!]!;
    const end = starts[numbers[i]! + 1]!;
    const first = occurrences[from[i]!]!;
    const last = occurrences[from[i + 1]! - 1]!;
    tokens += end - start;
    longest = Math.max(longest, last - first + 1);
    base[i] =
      forwardTo(chains, start, first, before, i * labels) +
      backwardTo(chains, end, last, behind, i * labels) -
      goldOfRest(chains, start, end, occurrences, from[i]!, from[i + 1]!);
  }
  return {
    count,
    tokens,
    from: Uint32Array.from(from),
    numbers: Uint32Array.from(numbers),
    before,
    behind,
    base,
    longest,
  };
}

/** The forward vector at the token before `first`, into `out`; returns the sum of the logarithms of its scales. */
function forwardTo(
  { potentials, states, edges }: ChainedCorpus,
  start: number,
  first: number,
  out: Float64Array,
  at: number,
): number {
  const { labels } = potentials;
  let logs = 0;
  const x = out.subarray(at, at + labels);
  const next = new Float64Array(labels);
  for (let t = start; t < first; t += 1) {
    if (t === start) next.fill(1);
    else stepForward(potentials, edges.of[t]!, x, 0, next, 0);
    multiply(next, 0, potentials.states, states.of[t]! * labels, labels);
    logs += Math.log(normalise(next, 0, labels));
    x.set(next);
  }
  return logs;
}

/** The backward vector at the token `last`, likewise. */
function backwardTo(
  { potentials, states, edges }: ChainedCorpus,
  end: number,
  last: number,
  out: Float64Array,
  at: number,
): number {
  const { labels } = potentials;
  let logs = 0;
  const x = out.subarray(at, at + labels);
  const next = new Float64Array(labels);
  x.fill(1);
  for (let t = end - 1; t > last; t -= 1) {
    multiply(x, 0, potentials.states, states.of[t]! * labels, labels);
    stepBackward(potentials, edges.of[t]!, x, 0, next, 0);
    logs += Math.log(normalise(next, 0, labels));
    x.set(next);
  }
  return logs;
}

/** Scores of the gold labels of all tokens of a sentence but the occurrences `[from, to)`. */
function goldOfRest(
  { potentials, states, edges, gold }: ChainedCorpus,
  start: number,
  end: number,
  occurrences: Uint32Array,
  from: number,
  to: number,
): number {
  const { labels } = potentials;
  let sum = 0;
  let next = from;
  for (let t = start; t < end; t += 1) {
    if (next < to && occurrences[next] === t) {
      while (next < to && occurrences[next] === t) next += 1;
      continue;
    }
    let score = potentials.states[states.of[t]! * labels + gold[t]!]!;
    if (t > start) {
      score *= potentials.edge(edges.of[t]!, gold[t - 1]!, gold[t]!);
    }
    sum += Math.log(score);
  }
  return sum;
}

/** The last sentence that starts at the token or before it. */
function sentenceOf(starts: Uint32Array, token: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}
