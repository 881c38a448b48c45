import { bisect } from '../../core/arrays.js';
import { multiply, normalise, stepBackward, stepForward } from '../chains/chain-steps.js';
import type { ChainedCorpus } from '../chains/chained-corpus.js';
import type { Objective } from '../objective.js';
import type { WeightBlock } from '../vectors/free-parameters.js';
import { ExactCurvature } from './exact-curvature.js';
import {
  type Observation,
  ObservationVisit,
  type Visit,
  type VisitBlock,
  VisitedWeights,
  visitBlocks,
} from './observation-visit.js';
import type { SentenceFinder } from './visited-sentences.js';

/** A visit's block with the labels of its weights. */
interface LabelledBlock extends VisitBlock {
  /** For each weight, its label (the second of a pair). */
  readonly to: Uint16Array;
  /** For each weight of an edge feature, the previous label. */
  readonly before: Uint16Array;
  /** Maps a pair, previous label * labels + label, to its weight. */
  readonly placeOf: ReadonlyMap<number, number> | undefined;
}

/**
 * A visit like `ObservationVisit`, over potentials shared by tokens with the same features: an evaluation runs
 * from the observation's first to its last occurrence in each sentence. If scores become too large, an
 * `ObservationVisit` takes over. Sokolovska, Lavergne, Cappe and Yvon (2010), section 4.4.
 */
export class ChainVisit implements Visit {
  readonly blocks: readonly LabelledBlock[];
  readonly sentences: VisitedChains;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly #chains: ChainedCorpus;
  readonly #observation: Observation & { readonly tokens: Uint32Array };
  readonly #weights: VisitedWeights;
  /** Classes whose potentials depend on the weights. */
  readonly #states: ReadonlySet<number>;
  readonly #edges: ReadonlySet<number>;
  /** Forward vectors from the token before the first occurrence on, and their scales. */
  readonly #alpha: Float64Array;
  readonly #scales: Float64Array;
  readonly #beta: Float64Array;
  readonly #outgoing: Float64Array;
  readonly #exact: ExactCurvature | undefined;
  readonly #makeCareful: () => Visit;
  #careful: Visit | undefined;

  constructor(
    objective: Objective,
    finder: SentenceFinder,
    chains: ChainedCorpus,
    observation: Observation & { readonly tokens: Uint32Array },
    blocks: readonly WeightBlock[],
    isExact = false,
  ) {
    const { width } = objective.parameters;
    const { labels } = chains.potentials;
    this.#chains = chains;
    this.#observation = observation;
    this.blocks = visitBlocks(objective, blocks).map(block => {
      const to = Uint16Array.from(block.cells, cell => cell % width);
      const before = Uint16Array.from(block.cells, cell => Math.floor(cell / width));
      const pairOf = (y: number, k: number) => [before[k]! * labels + y, k] as const;
      const placeOf = block.block.kind === 'edge' ? new Map(Array.from(to, pairOf)) : undefined;
      return { ...block, to, before, placeOf };
    });
    this.#weights = new VisitedWeights(objective.parameters, this.blocks);
    this.sentences = visitedChains(chains, observation.tokens);
    this.gradient = new Float64Array(this.weights.length);
    this.curvature = new Float64Array(this.weights.length);
    this.#exact = isExact ? new ExactCurvature(labels, width, this.blocks) : undefined;
    this.#makeCareful = () => new ObservationVisit(objective, finder, observation, blocks, isExact);
    const has = (kind: string) => blocks.some(block => block.kind === kind);
    const seen = ({ of }: { readonly of: Uint32Array }) =>
      new Set(Array.from(observation.tokens, token => of[token]!));
    this.#states = has('state') ? seen(chains.states) : new Set();
    this.#edges = has('edge') ? seen(chains.edges) : new Set();
    this.#alpha = new Float64Array((this.sentences.longest + 1) * labels);
    this.#scales = new Float64Array(this.sentences.longest + 1);
    this.#beta = new Float64Array(labels);
    this.#outgoing = new Float64Array(labels);
  }

  get weights(): Float64Array {
    return this.#weights.values;
  }

  place(): void {
    this.#weights.place();
    for (const c of this.#states) this.#chains.potentials.refreshState(c);
    const rows = this.blocks.flatMap(({ block }) => (block.kind === 'edge' ? [block.row] : []));
    this.#chains.potentials.refreshEdgesOf(rows, this.#edges);
  }

  evaluate(): number {
    if (!this.#chains.potentials.areSafe) return this.#evaluateCarefully();
    this.gradient.fill(0);
    this.curvature.fill(0);
    const { weights } = this.#chains;
    let loss = 0;
    for (let i = 0; i < this.sentences.count; i += 1) {
      const weight = weights[this.sentences.numbers[i]!]!;
      if (weight > 0) loss += weight * this.#sentence(i, weight);
    }
    return loss;
  }

  #evaluateCarefully(): number {
    this.#careful ??= this.#makeCareful();
    const loss = this.#careful.evaluate();
    this.gradient.set(this.#careful.gradient);
    this.curvature.set(this.#careful.curvature);
    return loss;
  }

  /** Returns the loss of the visit's sentence `i`; adds to gradient and curvature. */
  #sentence(i: number, weight: number): number {
    const { sentences } = this;
    const { potentials, states, edges, starts, gold } = this.#chains;
    const { labels } = potentials;
    const { tokens, values } = this.#observation;
    const alpha = this.#alpha;
    const scales = this.#scales;
    const start = starts[sentences.numbers[i]!]!;
    const first = tokens[sentences.from[i]!]!;
    const last = tokens[sentences.from[i + 1]! - 1]!;
    let loss = sentences.base[i]!;
    for (let y = 0; y < labels; y += 1) alpha[y] = sentences.before[i * labels + y]!;
    for (let t = first, at = labels; t <= last; t += 1, at += labels) {
      if (t === start) alpha.fill(1, at, at + labels);
      else stepForward(potentials, edges.of[t]!, alpha, at - labels, alpha, at);
      multiply(alpha, at, potentials.states, states.of[t]! * labels, labels);
      const scale = normalise(alpha, at, labels);
      scales[t - first] = scale;
      loss += Math.log(scale);
    }
    const beta = this.#beta;
    const end = (last - first + 1) * labels;
    let z = 0;
    for (let y = 0; y < labels; y += 1) z += alpha[end + y]! * sentences.behind[i * labels + y]!;
    for (let y = 0; y < labels; y += 1) beta[y] = sentences.behind[i * labels + y]! / z;
    loss += Math.log(z);
    const outgoing = this.#outgoing;
    let k = sentences.from[i + 1]! - 1;
    const exact = k > sentences.from[i]! ? this.#exact : undefined;
    exact?.chain.open(last - first + 1);
    for (let t = last, at = end; t >= first; t -= 1, at -= labels) {
      const state = states.of[t]! * labels;
      const inverse = 1 / scales[t - first]!;
      for (let y = 0; y < labels; y += 1) {
        outgoing[y] = beta[y]! * potentials.states[state + y]! * inverse;
      }
      if (exact !== undefined) this.#notePosterior(exact, t, first, start);
      if (tokens[k] === t) {
        const y = gold[t]!;
        let score = potentials.states[state + y]!;
        const exps = t > start ? potentials.edges(edges.of[t]!) : undefined;
        if (exps !== undefined) score *= exps[gold[t - 1]! * labels + y]!;
        loss -= Math.log(score);
        // A feature that two templates produce at a token is listed twice.
        for (; k >= 0 && tokens[k] === t; k -= 1) {
          this.#add(t, exps, at, values === undefined ? 1 : values[k]!, weight);
        }
      }
      if (t > first) stepBackward(potentials, edges.of[t]!, outgoing, 0, beta, 0);
    }
    if (exact !== undefined) {
      const [from, to] = [sentences.from[i]!, sentences.from[i + 1]!];
      const there = tokens.subarray(from, to).map(token => token - first);
      const occurrences = { tokens: there, values: values?.subarray(from, to) };
      exact.add(occurrences, weight, false, this.curvature);
    }
    return loss;
  }

  /** Stores the probabilities at token `t`, computed from the recursions' vectors. */
  #notePosterior({ chain }: ExactCurvature, t: number, first: number, start: number): void {
    const { labels, nodes, pairs } = chain;
    const { potentials, edges } = this.#chains;
    const alpha = this.#alpha;
    const row = (t - first) * labels;
    const at = row + labels;
    for (let y = 0; y < labels; y += 1) nodes[row + y] = alpha[at + y]! * this.#beta[y]!;
    if (t === start) return;
    const exps = potentials.edges(edges.of[t]!);
    for (let i = 0; i < labels; i += 1) {
      const before = alpha[row + i]!;
      for (let y = 0; y < labels; y += 1) {
        pairs[(row + i) * labels + y] = before * exps[i * labels + y]! * this.#outgoing[y]!;
      }
    }
  }

  /** Adds the terms of an occurrence, with forward vectors at `at` and the row before it. */
  #add(t: number, exps: Float64Array | undefined, at: number, value: number, weight: number): void {
    const { gradient, curvature } = this;
    const { potentials, gold } = this.#chains;
    const { labels } = potentials;
    const alpha = this.#alpha;
    const beta = this.#beta;
    const outgoing = this.#outgoing;
    const once = weight * value;
    const squared = once * value;
    for (let b = 0; b < this.blocks.length; b += 1) {
      const { block, from, to, before, placeOf } = this.blocks[b]!;
      if (block.kind === 'state') {
        for (let k = 0; k < to.length; k += 1) {
          const y = to[k]!;
          const p = alpha[at + y]! * beta[y]!;
          gradient[from + k]! += once * (y === gold[t] ? p - 1 : p);
          curvature[from + k]! += squared * Math.max(p * (1 - p), 0);
        }
      } else if (exps !== undefined) {
        const past = at - labels;
        for (let k = 0; k < to.length; k += 1) {
          const y = to[k]!;
          const pair = before[k]! * labels + y;
          const p = alpha[past + before[k]!]! * exps[pair]! * outgoing[y]!;
          gradient[from + k]! += once * p;
          curvature[from + k]! += squared * Math.max(p * (1 - p), 0);
        }
        const k = placeOf!.get(gold[t - 1]! * labels + gold[t]!);
        if (k !== undefined) gradient[from + k]! -= once;
      }
    }
  }
}

/**
 * The sentences of an observation during a visit. While only its weights move, the forward vectors before its
 * first occurrence in a sentence and the backward vectors from its last on stay constant.
 */
interface VisitedChains {
  readonly count: number;
  readonly tokens: number;
  /** The visit's sentence `i` has the occurrences `[from[i], from[i + 1])`. */
  readonly from: Uint32Array;
  /** Index of each sentence in the corpus. */
  readonly numbers: Uint32Array;
  /** `[count x labels]`: forward vectors at the token before the first occurrence, with sum 1. */
  readonly before: Float64Array;
  /** `[count x labels]`: backward vectors at the last occurrence, with sum 1. */
  readonly behind: Float64Array;
  /** Contribution of both vectors to log Z, minus the gold scores of tokens without an occurrence. */
  readonly base: Float64Array;
  /** Maximum number of tokens from the first to the last occurrence. */
  readonly longest: number;
}

/**
 * Runs the recursions up to an observation's occurrences. Cost: the recursions over the rest of its sentences.
 */
function visitedChains(chains: ChainedCorpus, occurrences: Uint32Array): VisitedChains {
  const { starts, potentials } = chains;
  const { labels } = potentials;
  const numbers: number[] = [];
  const from: number[] = [];
  let s = 0;
  for (let k = 0; k < occurrences.length; k += 1) {
    const token = occurrences[k]!;
    if (numbers.length > 0 && token < starts[s + 1]!) continue;
    s = bisect(1, starts.length - 1, next => starts[next]! <= token) - 1;
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

/**
 * Writes the forward vector at the token before `first` to `out`; returns the sum of the scales' logarithms.
 */
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

/** Writes the backward vector at the token `last` to `out`; returns the sum of the scales' logarithms. */
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

/**
 * Returns the gold score of a sentence's tokens except the occurrences `[from, to)`.
 */
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
