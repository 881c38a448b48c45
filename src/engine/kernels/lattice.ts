import type { Precision } from '../core/arrays.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { FurtherScores } from './further-scores.js';
import type { GraphScores } from './graph/graph-scores.js';
import { LinearMemory } from './memory/linear-memory.js';
import { RealTable } from './memory/real-table.js';
import { PairLists } from './pairs/pair-lists.js';
import { Candidates } from './pruning/candidates.js';
import type { SegmentScores } from './segments/segment-scores.js';
import type { ParameterStore } from './store/parameter-store.js';
import type { Support } from './store/support.js';

/** Offsets outside a lattice's own tables for its results. */
export interface ResultPlaces {
  readonly nodes: number;
  readonly transitions: number;
  readonly edges: number;
}

/**
 * The working memory for inference over one minibatch, reused from batch to batch.
 *
 * Per token: emission scores, their exponentials, forward and backward vectors, node marginals. Per token with edge
 * features: a slot with a label-by-label matrix of transition scores. Per sentence: the sum of its edge marginals. The
 * code that fills a table writes everything read afterwards, including the lanes past the last label.
 */
export class Lattice {
  readonly memory: LinearMemory;
  /** `[tokens x width]`: sums of the active features' weights. */
  readonly emissionScores: RealTable;
  readonly expEmissions: RealTable;
  /** `[tokens]`: the maximum subtracted from a token's emission scores before exp. */
  readonly emissionMaxima: RealTable;
  readonly alpha: RealTable;
  readonly beta: RealTable;
  /**
   * `[tokens x width]`: forward values in log space, in float64 whatever the precision: logarithms grow with sentence
   * length, and rounding them to float32 would distort probabilities. See `openLogs`.
   */
  readonly logAlpha: RealTable;
  readonly logBeta: RealTable;
  /** `[tokens]`: the scale c_t of each forward vector. */
  readonly scales: RealTable;
  /** `[tokens x width]`: p(y_t = y | x); losses turn them into residuals in place. */
  readonly nodes: RealTable;
  /** `[labels x width]`: transition scores, and their exponentials. */
  readonly transitionScores: RealTable;
  readonly expTransitions: RealTable;
  /** `[labels x width]`: the exponentials, transposed, for kernels that need them. */
  readonly expTransposed: RealTable;
  /** `[slots x labels x width]`: transition scores of tokens with edge features. */
  readonly edgeScores: RealTable;
  readonly expEdges: RealTable;
  /** `[slots]`: the maximum subtracted from a slot's scores before exp. */
  readonly edgeMaxima: RealTable;
  /** `[slots x labels x width]`: edge marginals of tokens with edge features. */
  readonly edges: RealTable;
  /** `[sentences x labels x width]`: edge marginals summed over the sentence; see `pairSumsAt`. */
  readonly transitions: RealTable;

  /** The value subtracted from the transition scores before exp. */
  transitionMaximum = 0;
  /**
   * Form of the loops over transitions: all of them, or lists of the active ones; by default whichever is faster. Results
   * are the same up to rounding.
   */
  transitionForm: 'auto' | 'dense' | 'sparse' = 'auto';
  /**
   * Whether only the kernel and functions that support lists read the batch's potentials and residuals. If so, sentences
   * whose tokens have few pairs with their own weights may be in `pairLists` without `edgeScores`, and only listed pairs
   * of their `edges` are written.
   */
  allowsLists = false;
  readonly pairLists: PairLists;
  /** The labels that survive pruning, if the parameters request it. */
  readonly candidates: Candidates;
  /** Whether pruning keeps the tokens' gold labels, for training. */
  keepsGold = false;
  /** 1 for each sentence of the next batch that must not be pruned; undefined if all may be pruned. */
  whole: Uint8Array | undefined;
  /** Whether `transitions` is read; otherwise kernels need not fill it. */
  readsPairSums: boolean;
  /** Whether residuals are read; otherwise a loss that needs no marginals omits them. */
  readsResiduals = true;
  /** Whether `beta` is read; otherwise kernels need not keep it. */
  readsBackward = false;
  /** Whether transition scores are read directly from the weights instead of being stored here. */
  leavesAllTransitions = false;
  /**
   * If labels are pairs or code words, the scores and residuals of the columns of which they are composed.
   */
  columns: Lattice | undefined;
  /** If labels are words of a code, the chain of each bit; see `scoreBits`. */
  bits: Lattice[] = [];
  /**
   * The plain transitions for which `transitions` is read, undefined meaning all; other values may be 0.
   */
  support: Support | undefined;
  /** The kernel's record of the contents of `expTransitions`. */
  exponentiatedBy: object | undefined;

  /** The slot of each token, or -1. */
  edgeSlots = new Int32Array(0);
  slots = 0;
  labels = 0;
  width = 0;
  matrixSize = 0;
  batch: Minibatch | undefined;
  /**
   * Whether labels or transitions are forbidden in such a way that all labels stay possible at all tokens but the first
   * and last, so that zeros at these two tokens are not underflow.
   */
  closedEnds = false;
  /**
   * Whether the current sentence has forbidden labels at some token, so that a zero is not underflow. Only set if no
   * exponential of the sentence vanishes except those of minus infinity.
   */
  closedTokens = false;
  /** Scores of spans, if the structure has any. */
  segments: SegmentScores | undefined;
  /** Scores of links, if the structure has any. */
  graph: GraphScores | undefined;
  /** The lattice of tokens, followed by segment candidates or links if there are any. */
  positions: Lattice | undefined;
  /** The batch to which the exponentials belong, as counted by `generation`. */
  exponentiated = -1;
  /** Number of batches opened so far. */
  generation = 0;
  #tokens = 0;
  #sentences = 0;
  #slotCapacity = 0;
  /** Labels, width and matrix size for which the tables are laid out. */
  #shape: readonly [number, number, number] = [-1, -1, -1];
  #results: ResultPlaces | undefined;
  /** Whether `transitions` has a place for each sentence. */
  readonly keepsPairSums: boolean;

  /** @param keepsPairSums whether `transitions` can be read; if not, it takes no memory per sentence */
  constructor(memory = new LinearMemory(), precision: Precision = 'float64', keepsPairSums = true) {
    this.memory = memory;
    this.keepsPairSums = keepsPairSums;
    this.readsPairSums = keepsPairSums;
    const table = () => new RealTable(memory, 1, precision);
    this.emissionScores = table();
    this.expEmissions = table();
    this.emissionMaxima = table();
    this.alpha = table();
    this.beta = table();
    this.logAlpha = new RealTable(memory, 1, 'float64');
    this.logBeta = new RealTable(memory, 1, 'float64');
    this.scales = table();
    this.nodes = table();
    this.transitionScores = table();
    this.expTransitions = table();
    this.expTransposed = table();
    this.edgeScores = table();
    this.expEdges = table();
    this.edgeMaxima = table();
    this.edges = table();
    this.transitions = table();
    this.pairLists = new PairLists(memory, precision);
    this.candidates = new Candidates(memory, this.transitionScores);
  }

  /** Makes room for a batch scored with the parameters of `store`, and assigns the tokens' slots. */
  open(
    store: Pick<ParameterStore, 'labels' | 'width' | 'matrixSize' | 'support'>,
    batch: Minibatch,
  ): void {
    this.generation += 1;
    this.closedEnds = false;
    this.pairLists.close();
    this.candidates.close();
    this.batch = batch;
    this.labels = store.labels;
    this.width = store.width;
    this.matrixSize = store.matrixSize;
    this.support = store.support;
    this.#reshape();
    this.#assignSlots(batch);
    const sentences = batch.sentenceStarts.length - 1;
    if (batch.tokens > this.#tokens) this.#fitTokens(batch.tokens);
    if (sentences > this.#sentences) this.#fitSentences(sentences);
    if (this.slots > this.#slotCapacity) this.#fitSlots(this.slots);
    if (this.#results === undefined) return;
    this.nodes.place(this.#results.nodes, batch.tokens);
    this.transitions.place(this.#results.transitions, sentences);
    this.edges.place(this.#results.edges, this.slots);
  }

  /**
   * Gives each token but the first of a sentence its own slot, filled with the plain transition scores if the token had
   * none. The batch must have been scored.
   */
  openSlots(): void {
    const { edgeSlots, matrixSize, slots: before } = this;
    const { sentenceStarts } = this.batch!;
    for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
      for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
        if (edgeSlots[t]! >= 0) continue;
        edgeSlots[t] = this.slots;
        this.slots += 1;
      }
    }
    if (this.slots > this.#slotCapacity) {
      const kept = this.edgeScores.view.slice(0, before * matrixSize);
      this.#fitSlots(this.slots);
      this.edgeScores.view.set(kept);
    }
    const scores = this.edgeScores.view;
    const plain = this.transitionScores.view.subarray(0, matrixSize);
    for (let slot = before; slot < this.slots; slot += 1) scores.set(plain, slot * matrixSize);
  }

  /**
   * Opens a batch that is not scored and whose residuals are not read, without allocating tables.
   */
  pass({
    labels,
    width,
    matrixSize,
  }: Pick<ParameterStore, 'labels' | 'width' | 'matrixSize'>): void {
    this.generation += 1;
    this.pairLists.close();
    this.candidates.close();
    this.labels = labels;
    this.width = width;
    this.matrixSize = matrixSize;
  }

  /**
   * Decides whether transition scores stay in the weights, which requires that all sentences of the batch are pruned or
   * nothing reads the scores; if so, `transitionScores` is empty.
   */
  leavesTransitions(store: Pick<ParameterStore, 'weights' | 'scale'>): boolean {
    const { candidates } = this;
    const leaves = this.leavesAllTransitions || (candidates.isAll && this.allowsLists);
    candidates.transitions = leaves ? store.weights.edges : this.transitionScores;
    candidates.scale = leaves ? store.scale : 1;
    return leaves;
  }

  /** The structure's scores in addition to tokens and transitions, if any. */
  get further(): FurtherScores | undefined {
    return this.segments ?? this.graph;
  }

  /** Returns the index in `transitions` at which the sums of sentence `s` begin. */
  pairSumsAt(s: number): number {
    return this.keepsPairSums ? s * this.matrixSize : 0;
  }

  /** Places the marginals and residuals of later batches at given offsets in the memory. */
  placeResults(places: ResultPlaces): void {
    this.#results = places;
  }

  /** Makes room for the batch's log-space vectors, which most batches never need. */
  openLogs(): void {
    const { width } = this;
    const tokens = this.batch!.tokens;
    for (const table of [this.logAlpha, this.logBeta]) {
      if (table.width !== width || table.capacity < tokens) table.reset(this.#tokens, width);
    }
  }

  /** Frees the tables' memory; the next batch allocates new memory. */
  release(): void {
    this.#shape = [-1, -1, -1];
    this.#tokens = 0;
    this.#sentences = 0;
    this.#slotCapacity = 0;
    this.exponentiatedBy = undefined;
    for (const table of Object.values(this)) if (table instanceof RealTable) table.reset(0, 1);
  }

  /** Clears the tables when the rows or the labels in them change, so that no lane keeps old contents. */
  #reshape(): void {
    const { labels, width, matrixSize } = this;
    const [labelsBefore, widthBefore, sizeBefore] = this.#shape;
    if (labels === labelsBefore && width === widthBefore && matrixSize === sizeBefore) return;
    // If memory is too small, the next batch lays the tables out again; likewise below.
    this.#shape = [-1, -1, -1];
    this.#tokens = 0;
    this.#sentences = 0;
    this.#slotCapacity = 0;
    this.exponentiatedBy = undefined;
    this.transitionScores.reset(this.matrixSize, 1);
    this.expTransitions.reset(this.matrixSize, 1);
    this.expTransposed.reset(this.matrixSize, 1);
    this.#shape = [labels, width, matrixSize];
  }

  #fitTokens(tokens: number): void {
    const rows = Math.max(tokens, Math.ceil(this.#tokens * 1.5));
    this.#tokens = 0;
    for (const table of [
      this.emissionScores,
      this.expEmissions,
      this.alpha,
      this.beta,
      this.nodes,
    ]) {
      table.reset(rows, this.width);
    }
    this.emissionMaxima.reset(rows, 1);
    this.scales.reset(rows, 1);
    this.#tokens = rows;
  }

  #fitSentences(sentences: number): void {
    this.#sentences = 0;
    this.transitions.reset(this.keepsPairSums ? sentences : 1, this.matrixSize);
    this.#sentences = sentences;
  }

  #fitSlots(slots: number): void {
    const rows = Math.max(slots, Math.ceil(this.#slotCapacity * 1.5));
    this.#slotCapacity = 0;
    for (const table of [this.edgeScores, this.expEdges, this.edges]) {
      table.reset(rows, this.matrixSize);
    }
    this.edgeMaxima.reset(rows, 1);
    this.#slotCapacity = rows;
  }

  #assignSlots(batch: Minibatch): void {
    if (this.edgeSlots.length < batch.tokens) {
      this.edgeSlots = new Int32Array(Math.max(batch.tokens, this.edgeSlots.length * 2));
    }
    const slots = this.edgeSlots;
    slots.fill(-1, 0, batch.tokens);
    this.slots = 0;
    const starts = batch.edgeStarts;
    if (starts === undefined) return;
    for (let s = 0; s < batch.sentences.length; s += 1) {
      // No transition leads into the first token of a sentence, whatever its features.
      for (let t = batch.sentenceStarts[s]! + 1; t < batch.sentenceStarts[s + 1]!; t += 1) {
        if (starts[t + 1]! > starts[t]!) {
          slots[t] = this.slots;
          this.slots += 1;
        }
      }
    }
  }
}

const lattices = new WeakMap<ParameterStore, Lattice>();

/**
 * Returns the working memory for decoding with these parameters. All their decoders share it because it lies in the
 * parameters' memory, which never shrinks.
 *
 * Its contents are valid until the next call by any decoder: decode a minibatch and copy the results without
 * yielding.
 */
export function decodingLattice(parameters: ParameterStore): Lattice {
  let lattice = lattices.get(parameters);
  if (lattice === undefined) {
    lattice = new Lattice(parameters.memory, parameters.precision, false);
    lattices.set(parameters, lattice);
  }
  return lattice;
}

/** Returns whether a sentence has tokens with their own transition scores. Cost O(T) if any sentence in the batch has. */
export function hasOwnTransitions({ slots, edgeSlots, batch }: Lattice, s: number): boolean {
  if (slots === 0) return false;
  const { sentenceStarts } = batch!;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    if (edgeSlots[t]! >= 0) return true;
  }
  return false;
}
