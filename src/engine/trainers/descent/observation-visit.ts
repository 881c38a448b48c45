import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { forwardBackward, whereScaled } from '../../inference/forward-backward.js';
import { chainPairs, PairSums } from '../../inference/marginals/pair-marginals.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Loss } from '../../losses/loss.js';
import type { Objective } from '../objective.js';
import { type WeightBlock, weightBlocks } from '../vectors/free-parameters.js';
import { ExactCurvature, type PosteriorChain } from './exact-curvature.js';
import { type Occurrences, occurrencesOf } from './occurrences.js';
import type { SentenceFinder, VisitedSentences } from './visited-sentences.js';

/** The weights of a visit as a vector, with their places in the parameters. */
export class VisitedWeights {
  readonly values: Float64Array;
  readonly #parameters: ParameterStore;
  readonly #blocks: readonly VisitBlock[];

  /** Reads the current weights. */
  constructor(parameters: ParameterStore, blocks: readonly VisitBlock[]) {
    this.#parameters = parameters;
    this.#blocks = blocks;
    this.values = new Float64Array(blocks.at(-1)!.end);
    for (const { block, from, places } of blocks) {
      const table = tableOf(parameters, block.kind);
      for (let k = 0; k < places.length; k += 1) this.values[from + k] = table[places[k]!]!;
    }
  }

  /** Writes the weights to the parameters, and reads them back in the parameters' precision. */
  place(): void {
    for (const { block, from, places } of this.#blocks) {
      const table = tableOf(this.#parameters, block.kind);
      for (let k = 0; k < places.length; k += 1) {
        table[places[k]!] = this.values[from + k]!;
        this.values[from + k] = table[places[k]!]!;
      }
    }
    this.#parameters.version += 1;
  }
}

/**
 * The log loss of the sentences that contain an observation, as a function of its features' weights: value, gradient and
 * an approximation of the diagonal curvature,
 *
 *     h_k = sum over sentences and positions of value^2 p (1 - p)
 *
 * which treats positions as uncorrelated. In partially labelled sentences, p is the marginal given no labels.
 * Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 16; `ExactCurvature` turns it into eq. 15.
 */
export class ObservationVisit implements Visit {
  readonly blocks: readonly VisitBlock[];
  readonly sentences: VisitedSentences;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly #objective: Objective;
  readonly #observation: Observation;
  readonly #counts: Float64Array;
  readonly #weights: VisitedWeights;
  readonly #exact: ExactCurvature | undefined;

  /**
   * @param blocks the features of the observation whose weights may move
   * @param isExact whether the curvature is exact
   */
  constructor(
    objective: Objective,
    finder: SentenceFinder,
    observation: Observation,
    blocks: readonly WeightBlock[],
    isExact = false,
  ) {
    this.#objective = objective;
    this.#observation = observation;
    this.blocks = visitBlocks(objective, blocks);
    this.sentences = finder.find(observation.tokens);
    this.#weights = new VisitedWeights(objective.parameters, this.blocks);
    this.gradient = new Float64Array(this.weights.length);
    this.curvature = new Float64Array(this.weights.length);
    const { labels, width, matrixSize } = objective.parameters;
    this.#counts = new Float64Array(matrixSize);
    this.#exact = isExact ? new ExactCurvature(labels, width, this.blocks) : undefined;
  }

  get weights(): Float64Array {
    return this.#weights.values;
  }

  place(): void {
    this.#weights.place();
  }

  evaluate(): number {
    this.gradient.fill(0);
    this.curvature.fill(0);
    let loss = 0;
    let cursor: Cursor = { sentence: 0, occurrence: 0 };
    const objective = this.#objective;
    const readsTransitions = this.#observation.tokens === undefined;
    for (const minibatch of this.sentences.minibatches) {
      const contribution = objective.contribute(minibatch, objective.loss, readsTransitions);
      loss += contribution.loss;
      const isPartial = minibatch.allowedStarts !== undefined;
      const { gradient, curvature } = this;
      const isElsewhere = isPartial || (this.#exact !== undefined && readsTransitions);
      const unused = isElsewhere ? new Float64Array(gradient.length) : curvature;
      const sums = { gradient, curvature: unused };
      const next = this.#add({ contribution, isResidual: true, sums }, cursor);
      if (isPartial && !(this.#exact !== undefined && readsTransitions)) {
        const free = objective.contribute(minibatch, freeMarginals, readsTransitions);
        const other = { gradient: unused, curvature };
        this.#add({ contribution: free, isResidual: false, sums: other }, cursor);
      }
      if (this.#exact !== undefined) this.#addExact(minibatch, this.#exact, cursor);
      cursor = next;
    }
    return loss;
  }

  /**
   * Adds the difference between equations 15 and 16, from the label pairs of sentences with several occurrences.
   */
  #addExact(minibatch: Minibatch, exact: ExactCurvature, cursor: Cursor): void {
    const { tokens, values } = this.#observation;
    const { firstTokens } = this.sentences;
    const { weights, sentenceStarts } = minibatch;
    let at = cursor.occurrence;
    const read = pairReader(exact.chain, s => {
      const first = firstTokens[cursor.sentence + s]!;
      const length = sentenceStarts[s + 1]! - sentenceStarts[s]!;
      const weight = weights === undefined ? 1 : weights[s]!;
      if (tokens === undefined) {
        const all = Uint32Array.from({ length: length - 1 }, (_, t) => t + 1);
        if (length > 1) exact.add({ tokens: all, values }, weight, true, this.curvature);
        return;
      }
      while (tokens[at]! < first) at += 1;
      const from = at;
      while (tokens[at]! < first + length) at += 1;
      if (at - from < 2) return;
      const there = tokens.subarray(from, at).map(token => token - first);
      const occurrences = { tokens: there, values: values?.subarray(from, at) };
      exact.add(occurrences, weight, false, this.curvature);
    });
    this.#objective.contribute(minibatch, read, false);
  }

  /**
   * Adds the terms of a minibatch that begins at a cursor; returns the cursor after it.
   */
  #add(reading: CurvatureReading, { sentence, occurrence }: Cursor): Cursor {
    const { labelled, sentenceStarts } = reading.contribution.minibatch;
    const { tokens, values } = this.#observation;
    const { firstTokens } = this.sentences;
    let at = occurrence;
    for (let s = 0; s < labelled.length; s += 1) {
      const start = sentenceStarts[s]!;
      const first = firstTokens[sentence + s]!;
      const end = first + sentenceStarts[s + 1]! - start;
      if (tokens === undefined) {
        if (labelled[s] === 1) addTransitions(reading, this.blocks[0]!, s, this.#counts);
        continue;
      }
      for (; at < tokens.length && tokens[at]! < end; at += 1) {
        const token = start + tokens[at]! - first;
        const value = values === undefined ? 1 : values[at]!;
        for (const block of this.blocks) addToken(reading, block, token, s, value);
      }
    }
    return { sentence: sentence + labelled.length, occurrence: at };
  }
}

/** The next sentence and occurrence of a visit. */
interface Cursor {
  readonly sentence: number;
  readonly occurrence: number;
}

/** The loss of the sentences that contain an observation, as a function of its features' weights. */
export interface Visit {
  readonly blocks: readonly VisitBlock[];
  /** Number of sentences, and of their tokens. */
  readonly sentences: { readonly count: number; readonly tokens: number };
  /** The weights; `place` copies them to the parameters. */
  readonly weights: Float64Array;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  /** Writes the weights to the parameters, and reads them back in the parameters' precision. */
  place(): void;
  /** Returns the loss of the sentences; computes gradient and curvature at the current weights. */
  evaluate(): number;
}

/**
 * Leaves marginals instead of residuals, as if nothing were labelled; for the curvature of partially labelled sentences.
 * Its value is meaningless.
 */
const freeMarginals: Loss = {
  name: 'log',
  summary: 'marginals without labels',
  example: '',
  predicts: false,
  smooth: true,
  apply(kernel, lattice, s) {
    forwardBackward(kernel, lattice, s);
    return 0;
  },
};

/** Returns a loss that copies each labelled sentence's label and pair probabilities to `chain`, and then calls `done`. */
function pairReader(chain: PosteriorChain, done: (s: number) => void): Loss {
  const { labels } = chain;
  const sums = new PairSums(
    Int32Array.from({ length: labels }, (_, y) => y),
    labels,
    0,
  );
  return {
    ...freeMarginals,
    apply(kernel, lattice, s) {
      lattice.readsBackward = true;
      const scaled = whereScaled(kernel, lattice, s, 'auto');
      const logZ = Number.isNaN(scaled) ? kernel.forwardBackwardLog(lattice, s) : undefined;
      lattice.readsBackward = false;
      chainPairs(lattice, s, logZ, sums.columns, sums);
      const { starts, from, to, values } = sums.finish();
      const tokens = starts.length - 1;
      chain.open(tokens);
      for (let t = 0; t < tokens; t += 1) {
        for (let y = 0; y < labels; y += 1) chain.nodes[t * labels + y] = sums.ofLabel(t, y);
        for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
          chain.pairs[(t * labels + from[k]!) * labels + to[k]!] = values[k]!;
        }
      }
      done(s);
      return 0;
    },
  };
}

/** A set of tokens with values, and the features active at exactly these tokens. */
export interface Observation {
  readonly blocks: readonly WeightBlock[];
  /** Tokens of the corpus, ascending; absent for the plain transitions, which are active everywhere. */
  readonly tokens?: Uint32Array;
  /** Values of the features there; absent if all are 1. */
  readonly values?: Float64Array | undefined;
}

/**
 * Returns the observations of a corpus, in the order of their first features. Features active at the same tokens with
 * the same values, such as a letter's state and edge feature, share one; so do features that are never active, whose
 * weights are subject only to penalties. Cost: two passes over all features of the corpus.
 */
export function observationsOf({ corpus, free, parameters }: Objective): Observation[] {
  const state = occurrencesOf(corpus, 'state', parameters.stateRows);
  const edges = occurrencesOf(corpus, 'edge', parameters.edgeRows);
  const found: (Observation & { blocks: WeightBlock[] })[] = [];
  const alike = new Map<number, (typeof found)[number][]>();
  for (const block of weightBlocks(free, parameters)) {
    if (block.kind === 'transitions') {
      found.push({ blocks: [block] });
      continue;
    }
    const { tokens, values } = seen(block.kind === 'state' ? state : edges, block.row);
    const hash = hashOf(tokens);
    const others = alike.get(hash) ?? [];
    const same = others.find(other => equal(tokens, other.tokens!) && agree(values, other.values));
    if (same !== undefined) {
      same.blocks.push(block);
      continue;
    }
    const observation = { blocks: [block], tokens, values };
    alike.set(hash, [...others, observation]);
    found.push(observation);
  }
  return found;
}

function seen({ starts, tokens, values }: Occurrences, row: number) {
  const from = starts[row]!;
  const end = starts[row + 1]!;
  return { tokens: tokens.subarray(from, end), values: values?.subarray(from, end) };
}

/** Returns the FNV-1a hash of the tokens. */
function hashOf(tokens: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tokens.length; i += 1) hash = Math.imul(hash ^ tokens[i]!, 0x01000193);
  return hash;
}

/** Returns whether values are the same; absent values are all 1. */
function agree(x: Float64Array | undefined, y: Float64Array | undefined): boolean {
  if (x !== undefined && y !== undefined) return equal(x, y);
  const given = x ?? y;
  return given === undefined || given.every(value => value === 1);
}

function equal(x: Uint32Array | Float64Array, y: Uint32Array | Float64Array): boolean {
  return x.length === y.length && x.every((value: number, i: number) => value === y[i]);
}

/** Sums over sentences for each weight of a visit. */
interface CurvatureSums {
  /** sum of value * residual. */
  readonly gradient: Float64Array;
  /** sum of value^2 * p (1 - p). */
  readonly curvature: Float64Array;
}

/** Options for reading a contribution. */
interface CurvatureReading {
  readonly contribution: Contribution;
  /** Whether residuals include the gold labels; otherwise they are marginals. */
  readonly isResidual: boolean;
  readonly sums: CurvatureSums;
}

/**
 * Adds the terms of one token, at which the block's feature has `value`, for the block's weights.
 */
function addToken(
  { contribution, isResidual, sums }: CurvatureReading,
  { block, from, cells }: VisitBlock,
  token: number,
  s: number,
  value: number,
): void {
  const { minibatch, width, matrixSize } = contribution;
  const weight = minibatch.weights === undefined ? 1 : minibatch.weights[s]!;
  let table: Reals = contribution.residual;
  let start = token * width;
  let gold = minibatch.gold[token]!;
  if (block.kind === 'edge') {
    const slot = contribution.edgeSlots[token]!;
    if (slot < 0) return;
    table = contribution.edgeResidual;
    start = slot * matrixSize;
    // Gold labels are -1 at all tokens of a sentence or at none.
    gold = gold < 0 ? -1 : minibatch.gold[token - 1]! * width + gold;
  }
  if (weight === 0) return;
  if (!isResidual) gold = -1;
  for (let k = 0; k < cells.length; k += 1) {
    const cell = cells[k]!;
    const residual = table[start + cell]!;
    const p = residual / weight + (cell === gold ? 1 : 0);
    sums.gradient[from + k]! += value * residual;
    sums.curvature[from + k]! += weight * value * value * Math.max(p * (1 - p), 0);
  }
}

/**
 * Adds the terms of one sentence for the plain transitions. Only the sum P of their marginals p_t over the sentence is
 * kept, so the bound P (1 - P / n) >= sum p_t (1 - p_t) for n transitions is used.
 */
function addTransitions(
  { contribution, isResidual, sums }: CurvatureReading,
  { from, cells }: VisitBlock,
  s: number,
  counts: Float64Array,
): void {
  const { minibatch, width, matrixSize, transitionResidual: table } = contribution;
  const { sentenceStarts, gold } = minibatch;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const weight = minibatch.weights === undefined ? 1 : minibatch.weights[s]!;
  const transitions = end - first - 1;
  if (transitions < 1 || weight === 0) return;
  counts.fill(0);
  for (let t = first + 1; isResidual && t < end && gold[t]! >= 0; t += 1) {
    counts[gold[t - 1]! * width + gold[t]!]! += 1;
  }
  for (let k = 0; k < cells.length; k += 1) {
    const cell = cells[k]!;
    const residual = table[s * matrixSize + cell]!;
    const sum = residual / weight + counts[cell]!;
    sums.gradient[from + k]! += residual;
    sums.curvature[from + k]! += weight * Math.max(sum * (1 - sum / transitions), 0);
  }
}

/** A block during a visit: the offsets of its weights in the visit and in tables. */
export interface VisitBlock {
  readonly block: WeightBlock;
  /** The block's weights are `[from, end)` of the visit's weights. */
  readonly from: number;
  readonly end: number;
  /** For each weight, its place in the table of its kind. */
  readonly places: Uint32Array;
  /** For each weight, its lane in a row or matrix of residuals. */
  readonly cells: Uint32Array;
}

/** Lays out the weights of some blocks consecutively. Cost O(weights). */
export function visitBlocks(objective: Objective, blocks: readonly WeightBlock[]): VisitBlock[] {
  let from = 0;
  return blocks.map(block => {
    const size = block.at.length;
    const laid = { block, from, end: from + size, ...placesOf(objective, block) };
    from += size;
    return laid;
  });
}

function placesOf({ free, parameters }: Objective, { kind, row, at }: WeightBlock) {
  const places = new Uint32Array(at.length);
  const cells = new Uint32Array(at.length);
  const pairsFrom = free.transitionsFrom + free.edges.length;
  for (let k = 0; k < at.length; k += 1) {
    const i = at[k]!;
    if (kind === 'state') {
      places[k] = free.state[i]!;
      cells[k] = places[k]! - row * parameters.width;
    } else if (i < pairsFrom) {
      places[k] = free.edges[i - free.transitionsFrom]!;
      cells[k] = places[k]! - row * parameters.matrixSize;
    } else {
      const slot = i - pairsFrom;
      places[k] = slot;
      cells[k] = parameters.pairs.from[slot]! * parameters.width + parameters.pairs.to[slot]!;
    }
  }
  return { places, cells };
}

/** Returns the table with the weights of a kind of block. */
function tableOf({ weights, hasEdgeBlocks }: ParameterStore, kind: WeightBlock['kind']) {
  if (kind === 'state') return weights.state.view;
  return kind === 'edge' && !hasEdgeBlocks ? weights.pairs.view : weights.edges.view;
}
