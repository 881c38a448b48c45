import type { Precision, Reals } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ScorerName, TableRole } from '../../core/scorer.js';
import type { GraphLayout } from '../graph/graph-scores.js';
import { LinearMemory } from '../memory/linear-memory.js';
import { clearPlane, createPlane, type Plane } from '../memory/plane.js';
import { type RealTable, rowWidth } from '../memory/real-table.js';
import type { Pruning } from '../pruning/candidates.js';
import type { SegmentLayout } from '../segments/segment-scores.js';
import type { CompressedRows } from './compressed-rows.js';
import type { LabelLayers, LabelParts, OutputCodes } from './label-columns.js';
import { PairChains } from './pair-chains.js';
import type { RegressionTree } from './regression-tree.js';
import { StatePairs } from './state-pairs.js';
import { Support } from './support.js';

/** The set of parameters, and their meaning. */
export interface ParameterLayout {
  /** Whether there are plain transitions; if not, block 0 stays zero. */
  readonly transitions: boolean;
  /** Pairs with weights: `all` labels for each feature, or only the pairs `observed` in labelled sentences. */
  readonly support: 'all' | 'observed';
  /** Whether state weights are stored only for observed pairs; see `StatePairs`. Needs the support `observed`. */
  readonly compressed?: boolean | undefined;
  /** Limits for pruning the labels of tokens; default: no pruning. */
  readonly prune?: Pruning | undefined;
  /** Precision of the numbers. Default float64. */
  readonly precision?: Precision;
  /** Scorer that computes potentials from scores. Default linear: the scores themselves. */
  readonly scorer?: ScorerName;
  /** If labels combine layers, their columns, each with its own weight at a token. */
  readonly layers?: LabelLayers;
  /** If labels are composed of parts, the columns of the parts. */
  readonly parts?: LabelParts;
  /** If labels are words of a code, the words and the decoding method. */
  readonly codes?: OutputCodes;
  /** If the weights are tables, what each template counts. */
  readonly tables?: readonly TableRole[];
  /** If the labels' densities are mixtures, the number of components, and the seed that initialises them. */
  readonly components?: { readonly count: number; readonly seed: number };
  /**
   * If spans are scored in addition to tokens and transitions, the meaning of labels for spans.
   */
  readonly segments?: SegmentLayout;
  /** If tokens are nodes of a graph, how the graph is built, and how inference is done. */
  readonly graph?: GraphLayout;
  /** Maximum number of bytes for the blocks of observation-conditioned transitions. Default 2 GiB. */
  readonly edgeBudget?: number;
}

/** Numbers of labels, state features and edge features; edge feature 0 is the plain transitions. */
export interface ParameterCounts {
  readonly labels: number;
  readonly stateRows: number;
  readonly edgeRows: number;
}

/** Rows of state and edge features that previously belonged to other features. */
export interface ReusedRows {
  state: number[];
  edges: number[];
}

/** Several weight vectors for the same parameters that vote on label sequences; see `Voters`. */
export interface VotingWeights {
  /** The votes of each voter, in the order of creation. */
  readonly votes: readonly number[];
  /** Index of the voter whose weights are current: a pass over all voters should start at the nearer end. */
  readonly position: number;
  /** Returns the weights of a voter; valid until the next call. */
  at(voter: number): ParameterStore;
  /**
   * Returns the places at which the weights of a voter (1 or later) may differ from the previous voter's; see `WeightChange`.
   */
  changed(voter: number): Uint32Array;
}

/** Scores that a scorer adds to the scores of tokens. */
export interface AddedScores {
  /** Adds the scores of a minibatch's tokens to the label scores `[tokens x width]`. */
  addTo(
    minibatch: Pick<Minibatch, 'tokens' | 'sentenceStarts' | 'stateStarts' | 'stateRows'>,
    scores: RealTable,
    width: number,
  ): void;
}

/** Token scores of regression trees; see `Forest`. */
export interface TokenScores extends AddedScores {
  readonly trees: readonly RegressionTree[];
  /** Whether trees split on the previous label, so that `addPairs` has an effect. */
  readonly seesPrevious: boolean;
  /** Adds the trees' scores of tokens, given each previous label, to the matrices of the tokens' slots. */
  addPairs(
    minibatch: Pick<Minibatch, 'tokens' | 'sentenceStarts' | 'stateStarts' | 'stateRows'>,
    scores: RealTable,
    places: PairPlaces,
  ): void;
}

/** The layout of the tokens' label-pair scores: `slots[t] * matrixSize + from * width + to`; no slot is negative. */
export interface PairPlaces {
  readonly slots: Int32Array;
  readonly width: number;
  readonly matrixSize: number;
}

/**
 * The parameters of a linear-chain model, and the planes added by optimizers.
 *
 * A weight is `scale * weights[...]`, so that shrinking all weights costs one multiplication. `version` counts the updates.
 * Rows have `width` lanes, blocks `labelCapacity` rows; lanes past the last label are zero.
 */
export class ParameterStore {
  readonly memory: LinearMemory;
  readonly layout: ParameterLayout;
  readonly pairs: PairChains;
  readonly support: Support | undefined;
  /** The places of state weights stored only for observed pairs, as single numbers instead of rows. */
  readonly statePairs: StatePairs | undefined;
  /** If set, the state weights, which replace those in `weights`; see `compactStore`. */
  compressed: CompressedRows | undefined;
  /** If set, the voters that label sentences instead of the weights. */
  voters: VotingWeights | undefined;
  /** If set, the scores that the scorer `trees` adds to the scores of tokens. */
  forest: TokenScores | undefined;
  /** If set, the scores that the scorer `support-vectors` adds to the scores of tokens; see `SupportVectors`. */
  vectors: AddedScores | undefined;
  /** If set, 1 for labels that get weights, as do transitions from or to them. Needs the support `observed`. */
  labelPart: Uint8Array | undefined;
  scale = 1;
  version = 0;
  /**
   * Rows that now belong to other features, kept until `CreationTimes.note` processes them; see `GrowingIndex.prune`.
   */
  readonly reused: ReusedRows = { state: [], edges: [] };
  readonly #planes: Plane[] = [];
  /** Planes of earlier optimizers, whose memory is reused. */
  readonly #spare: Plane[] = [];
  #isInUse = false;
  readonly #adopt: ((plane: Plane, index: number) => void) | undefined;
  #labels = 0;
  #labelCapacity: number;
  #width: number;
  #stateRows = 0;
  #edgeRows = 0;

  /**
   * @param labelCapacity number of labels for which rows have room; more labels trigger a new layout
   * @param adopt fills each new plane, weights first, with existing numbers; see `placedStore`
   */
  constructor(
    layout: ParameterLayout,
    labelCapacity = 1,
    memory = new LinearMemory(),
    pairs = new PairChains(),
    adopt?: (plane: Plane, index: number) => void,
  ) {
    this.#adopt = adopt;
    this.layout = layout;
    this.pairs = pairs;
    this.memory = memory;
    this.#labelCapacity = rowWidth(labelCapacity);
    this.#width = this.#labelCapacity;
    this.support = layout.support === 'observed' ? new Support(this.#width) : undefined;
    this.statePairs = layout.compressed === true ? new StatePairs() : undefined;
    this.#createPlane();
    this.reserve({ labels: 0, stateRows: 0, edgeRows: 1 });
  }

  get precision(): Precision {
    return this.layout.precision ?? 'float64';
  }

  get labels(): number {
    return this.#labels;
  }

  get labelCapacity(): number {
    return this.#labelCapacity;
  }

  /** Number of lanes per row. */
  get width(): number {
    return this.#width;
  }

  get stateRows(): number {
    return this.#stateRows;
  }

  get edgeRows(): number {
    return this.#edgeRows;
  }

  /** Number of lanes per label-by-label block. */
  get matrixSize(): number {
    return this.#labelCapacity * this.#width;
  }

  /**
   * Returns whether plain transitions score a sentence of this length. A single token has no transition, but weights of layer
   * pairs are stored with them.
   */
  scoresTransitions(tokens: number): boolean {
    const { transitions, layers } = this.layout;
    return transitions && (tokens > 1 || layers !== undefined);
  }

  /** Whether edge features other than the plain transitions have whole blocks. */
  get hasEdgeBlocks(): boolean {
    return this.layout.support === 'all';
  }

  /**
   * Whether the numbers have been accessed; until then, for example while a corpus is read, all weights are 0 and take no
   * memory.
   */
  get isInUse(): boolean {
    return this.#isInUse;
  }

  get weights(): Plane {
    if (!this.#isInUse) this.#use();
    return this.#planes[0]!;
  }

  /** All planes: the weights, followed by the optimizer's planes in the order in which they were added. */
  get planes(): readonly Plane[] {
    if (!this.#isInUse) this.#use();
    return this.#planes;
  }

  /**
   * Adds a plane with a number for every parameter, initially zero, which grows with the store; memory grows once for the
   * plane and the weights.
   */
  addPlane(): Plane {
    const plane = this.#createPlane();
    const bytes = this.#stateRows * plane.state.width * (this.precision === 'float64' ? 8 : 4);
    this.memory.expect(bytes * this.#planes.filter(({ state }) => state.capacity === 0).length);
    this.#use();
    return plane;
  }

  /** Calls `work` while one of the planes serves as the weights. */
  withWeights<Result>(plane: Plane, work: () => Result): Result {
    const planes = this.#planes;
    const { scale } = this;
    const weights = planes[0]!;
    planes[0] = plane;
    this.scale = 1;
    try {
      return work();
    } finally {
      planes[0] = weights;
      this.scale = scale;
    }
  }

  /** Resets all weights to 0 and removes the added planes, whose memory is reused. */
  restart(): void {
    this.#spare.push(...this.#planes.splice(1));
    clearPlane(this.weights);
    this.scale = 1;
    this.version += 1;
  }

  /**
   * Makes room for the counts; counts never decrease. New rows, blocks and lanes are zero.
   *
   * @throws TagstreamError `too-large`, with the estimate, if the edge blocks do not fit; the store is
   * then unchanged
   */
  reserve(counts: ParameterCounts): void {
    this.#refuseWhatWillNotFit(counts);
    if (counts.labels > this.#labelCapacity) this.#relayout(capacityFor(counts.labels));
    this.#labels = Math.max(this.#labels, counts.labels);
    this.#stateRows = Math.max(this.#stateRows, counts.stateRows);
    if (counts.edgeRows > this.#edgeRows) {
      this.#edgeRows = counts.edgeRows;
      this.pairs.reserveFeatures(counts.edgeRows);
    }
    if (this.#isInUse) this.#use();
    const maskRows = this.statePairs === undefined ? this.#stateRows : 0;
    this.support?.reserve(maskRows, this.#labelCapacity);
  }

  /**
   * Lays rows out for exactly `labels` labels, if all labels are known before any state feature has a place; a growing store
   * uses the next power of two.
   */
  layOutFor(labels: number): void {
    if (this.#stateRows === 0 && labels > this.#labelCapacity) this.#relayout(rowWidth(labels));
  }

  /** Allows a weight for a state feature and a label, which must both have a place; a no-op if all pairs are allowed. */
  observeState(row: number, label: number): void {
    if (this.labelPart?.[label] === 0) return;
    if (this.statePairs === undefined) this.support?.allowState(row, label);
    else this.statePairs.add(row, label);
  }

  /** Allows a weight for an edge feature and a label pair; call `fitPairs` when done. */
  observeEdge(row: number, from: number, to: number): void {
    if (this.support === undefined) return;
    if (this.labelPart?.[from] === 0 && this.labelPart[to] === 0) return;
    if (row === 0) this.support.allowTransition(from, to);
    else this.pairs.add(row, from, to);
  }

  /** Clears `reused` once all dependants have seen its rows. */
  forgetReused(): void {
    const { reused } = this;
    if (reused.state.length > 0) reused.state = [];
    if (reused.edges.length > 0) reused.edges = [];
  }

  /** Returns the label capacity of rows for this number of labels. */
  capacityFor(labels: number): number {
    return labels > this.#labelCapacity ? capacityFor(labels) : this.#labelCapacity;
  }

  /** Returns the maximum number of blocks for this label capacity, above which `reserve` throws. */
  mostEdgeRows(labelCapacity: number): number {
    if (!this.hasEdgeBlocks) return Number.POSITIVE_INFINITY;
    return Math.floor(this.#edgeBudget / (labelCapacity ** 2 * 8 * this.#planes.length));
  }

  /** Zeroes the numbers of unused state and edge features in all planes. */
  clear(stateRows: Uint32Array, edgeRows: Uint32Array): void {
    for (const { state, edges } of this.#planes) {
      clearParts(state.view, this.#width, stateRows);
      clearParts(edges.view, this.matrixSize, edgeRows);
    }
  }

  /** Makes room for the pairs added by `observeEdge`. */
  fitPairs(): void {
    if (!this.#isInUse) return;
    for (const plane of this.#planes) plane.pairs.reserve(this.pairs.size);
  }

  /** Ends the collection of state pairs, once all have been observed; a no-op if weights have rows. */
  closePairs(): void {
    this.statePairs?.close(this.#stateRows);
    if (this.#isInUse) this.#use();
  }

  /**
   * Returns the place of a weight in a plane's state table, or -1. Cost O(1), or O(log of the feature's pairs) for single
   * pairs.
   */
  statePlace(row: number, label: number): number {
    return this.statePairs?.find(row, label) ?? row * this.#width + label;
  }

  /**
   * Returns a store for other weights of the same parameters, with the same counts and support and all weights zero.
   *
   * @param precision default: that of this store
   */
  emptyCopy(precision = this.precision): ParameterStore {
    const copy = new ParameterStore(
      { ...this.layout, precision },
      this.#labelCapacity,
      new LinearMemory(),
      this.pairs,
    );
    copy.reserve({ labels: this.#labels, stateRows: this.#stateRows, edgeRows: this.#edgeRows });
    if (this.support !== undefined) {
      copy.support!.restore(this.support.state, this.support.transitions);
    }
    copy.statePairs?.take(this.statePairs!);
    return copy;
  }

  /**
   * Rejects counts whose blocks do not fit: more edge features need more blocks, more labels may need larger blocks.
   */
  #refuseWhatWillNotFit(counts: ParameterCounts): void {
    const edgeRows = Math.max(counts.edgeRows, this.#edgeRows);
    const capacity = this.capacityFor(counts.labels);
    if (!this.hasEdgeBlocks || edgeRows <= 1) return;
    if (edgeRows === this.#edgeRows && capacity === this.#labelCapacity) return;
    if (edgeRows <= this.mostEdgeRows(capacity)) return;
    const budget = this.#edgeBudget;
    const bytes = edgeRows * capacity * capacity * 8 * this.#planes.length;
    const labels = Math.max(counts.labels, this.#labels);
    throw new TagstreamError(
      'too-large',
      `${edgeRows - 1} observation-conditioned transitions of ${labels} x ${labels} labels need ${(bytes / 2 ** 30).toFixed(1)} GiB, more than ${(budget / 2 ** 30).toFixed(1)} GiB`,
      { fix: 'use support: observed, a frequency cutoff, or fewer B templates' },
    );
  }

  get #edgeBudget(): number {
    return this.layout.edgeBudget ?? 2 ** 31;
  }

  #createPlane(): Plane {
    const stateWidth = this.statePairs === undefined ? this.#width : 1;
    const spare = this.#spare.pop();
    const fits = spare?.edges.width === this.#width && spare.state.width === stateWidth;
    if (fits) clearPlane(spare);
    const plane = fits ? spare : createPlane(this.memory, this.#width, this.precision, stateWidth);
    this.#adopt?.(plane, this.#planes.length);
    this.#planes.push(plane);
    return plane;
  }

  /** Makes room in all planes, now and whenever counts grow. */
  #use(): void {
    this.#isInUse = true;
    for (const plane of this.#planes) this.#fit(plane);
  }

  #fit(plane: Plane): void {
    // Pairs are padded to whole vectors, because some kernels loop over all numbers.
    const pairs = this.statePairs?.size;
    plane.state.reserve(pairs === undefined ? this.#stateRows : 4 * Math.ceil(pairs / 4));
    plane.edges.reserve((this.hasEdgeBlocks ? this.#edgeRows : 1) * this.#labelCapacity);
    plane.pairs.reserve(this.pairs.size);
  }

  /** Lays all rows out again with room for `capacity` labels. */
  #relayout(capacity: number): void {
    const blocks = this.#planes.map(plane => plane.edges.capacity / this.#labelCapacity);
    for (const [i, plane] of this.#planes.entries()) {
      if (this.statePairs === undefined) {
        moveRows(plane.state, capacity, plane.state.capacity, row => row);
      }
      const old = this.#labelCapacity;
      moveRows(plane.edges, capacity, Math.floor(blocks[i]!) * capacity, row => {
        const block = Math.floor(row / old);
        return block * capacity + (row - block * old);
      });
    }
    this.support?.relayout(capacity);
    this.#labelCapacity = capacity;
    this.#width = capacity;
  }
}

/** Returns the label capacity of rows, the next power of two. */
function capacityFor(labels: number): number {
  return rowWidth(2 ** Math.ceil(Math.log2(labels)));
}

/** Zeroes some parts of a table. */
function clearParts(table: Reals, size: number, parts: Uint32Array): void {
  for (const part of parts) table.fill(0, part * size, (part + 1) * size);
}

/** Moves each row of a table with `rows` rows of `width` lanes to `target(row)`. */
function moveRows(
  table: RealTable,
  width: number,
  rows: number,
  target: (row: number) => number,
): void {
  const oldWidth = table.width;
  const old = table.view.slice();
  table.reset(rows, width);
  const view = table.view;
  for (let row = 0; row * oldWidth < old.length; row += 1) {
    const to = target(row) * width;
    if (to + oldWidth <= view.length) {
      view.set(old.subarray(row * oldWidth, (row + 1) * oldWidth), to);
    }
  }
}
