import type { Precision, Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { RealTable } from '../memory/real-table.js';
import { Region } from '../memory/region.js';
import type { ParameterStore } from '../store/parameter-store.js';

/**
 * Appends the pairs of a feature's chain, with `value` times their weights as scores, after the first `n` entries, or
 * adds to the token's existing entries, which begin at `start` (-1 if no pair can coincide). Returns the number of
 * entries.
 */
export type AddChain = (
  lists: PairLists,
  feature: number,
  value: number,
  n: number,
  start: number,
) => number;

/**
 * Number of spare elements that a kernel may read or write past the end: a vector of the narrowest type.
 */
const spare = 4;

/**
 * The transitions of a minibatch's tokens as lists of label pairs, for features conditioned on observations with weights
 * for few pairs: with exp(a_t(y', y)) = 1 + M_t(y', y), only the pairs of plain transitions and of the features at token
 * t can have a nonzero M. Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 9.
 *
 * Whether a sentence is listed depends only on its pair counts. A pair occurs once in a token's list, however many
 * features have it; plain pairs come first. Time and memory: O(pairs).
 */
export class PairLists {
  /** Whether any sentence of the batch is listed. */
  isUsed = false;
  /** Number of plain pairs, at the beginning of each token's list. */
  plain = 0;
  /** `[entries]`: scores of the pairs. */
  readonly scores: RealTable;
  /** `[entries]`: exp of the scores minus the token's maximum. */
  readonly exps: RealTable;
  /** `[tokens]`: the maximum subtracted, and exp(0 - maximum). */
  readonly maxima: RealTable;
  readonly bases: RealTable;
  /** Base of the marks: a cell's mark is `epoch` plus the index of its last entry. */
  epoch = 1;
  readonly #starts: Region;
  readonly #pairs: Region;
  readonly #marks: Region;
  #matrixSize = 0;
  #startsView: Uint32Array = new Uint32Array(0);
  #pairsView: Uint32Array = new Uint32Array(0);
  #tokens = 0;
  #entries = 0;
  #listed: Uint8Array = new Uint8Array(0);

  constructor(memory: LinearMemory, precision: Precision) {
    const table = () => new RealTable(memory, 1, precision);
    this.scores = table();
    this.exps = table();
    this.maxima = table();
    this.bases = table();
    this.#starts = new Region(memory);
    this.#pairs = new Region(memory);
    this.#marks = new Region(memory);
  }

  /** Offset of the starts, for kernels that take addresses. */
  get startsOffset(): number {
    return this.#starts.offset;
  }

  get pairsOffset(): number {
    return this.#pairs.offset;
  }

  get marksOffset(): number {
    return this.#marks.offset;
  }

  /** `[matrixSize]`: the mark of each cell, valid until memory grows. */
  get marks(): Int32Array {
    return new Int32Array(this.#marks.memory.buffer, this.#marks.offset, this.#matrixSize);
  }

  /** `[tokens + 1]`: token t has the entries `[starts[t], starts[t + 1])`; valid until memory grows. */
  get starts(): Uint32Array {
    if (this.#startsView.buffer !== this.#starts.memory.buffer) this.#view();
    return this.#startsView;
  }

  /** `[entries]`: previous label + 65536 * label, valid until memory grows. */
  get pairs(): Uint32Array {
    if (this.#pairsView.buffer !== this.#pairs.memory.buffer) this.#view();
    return this.#pairsView;
  }

  isListed(s: number): boolean {
    return this.isUsed && this.#listed[s] === 1;
  }

  /** Marks every sentence as unlisted. */
  close(): void {
    this.isUsed = false;
  }

  /**
   * Chooses the sentences to list, and lists their pairs with scores. Plain transitions already have scores, at
   * `transitions`.
   */
  list(
    store: ParameterStore,
    batch: Minibatch,
    lattice: ListedLattice,
    transitions: RealTable,
    addChain: () => AddChain,
  ): void {
    const plainCells = store.layout.transitions ? cellsOf(store) : noCells;
    this.plain = plainCells.length;
    this.#listed = chooseListed(store, batch, lattice, this.plain);
    this.isUsed = this.#listed.includes(1);
    if (!this.isUsed) return;
    this.#tokens = batch.tokens;
    this.#entries = this.#mostEntries(store, batch);
    this.#reserve(store.matrixSize);
    const plain = transitions.view;
    const plainScores = this.scores.view.slice(0, this.plain);
    for (let i = 0; i < this.plain; i += 1) plainScores[i] = plain[plainCells[i]!]!;
    this.#fill(store, batch, plainCells, addChain(), plainScores);
  }

  #view(): void {
    this.#startsView = this.#starts.words(this.#tokens + 1);
    this.#pairsView = this.#pairs.words(this.#entries);
  }

  #mostEntries({ pairs: { lengths } }: ParameterStore, batch: Minibatch): number {
    const { sentenceStarts, edgeStarts, edgeRows } = batch;
    let entries = 0;
    for (let s = 0; s < this.#listed.length; s += 1) {
      if (this.#listed[s] === 0) continue;
      const first = sentenceStarts[s]! + 1;
      const end = sentenceStarts[s + 1]!;
      entries += (end - first) * this.plain;
      for (let k = edgeStarts![first]!; k < edgeStarts![end]!; k += 1) {
        entries += lengths[edgeRows![k]!]!;
      }
    }
    return entries;
  }

  #reserve(matrixSize: number): void {
    const entries = this.#entries + spare;
    this.#starts.reserve(4 * (this.#tokens + 1));
    this.#pairs.reserve(4 * entries);
    this.scores.reserve(entries);
    this.exps.reserve(entries);
    this.maxima.reserve(this.#tokens + spare);
    this.bases.reserve(this.#tokens + spare);
    this.#view();
    this.#matrixSize = matrixSize;
    const isNew = this.#marks.reserve(4 * matrixSize);
    if (!isNew && this.epoch < 2 ** 31 - 1 - entries) return;
    this.marks.fill(0);
    this.epoch = 1;
  }

  #fill(
    store: ParameterStore,
    batch: Minibatch,
    plainCells: Uint32Array,
    addChain: AddChain,
    plainScores: Reals,
  ): void {
    const { sentenceStarts, edgeValues } = batch;
    const edgeStarts = batch.edgeStarts!;
    const edgeRows = batch.edgeRows!;
    const { scale, width } = store;
    const plainPairs = plainCells.map(cell => Math.floor(cell / width) + 65536 * (cell % width));
    const scores = this.scores.view;
    const { starts, pairs, marks } = this;
    let n = 0;
    for (let s = 0; s < this.#listed.length; s += 1) {
      const first = sentenceStarts[s]!;
      const end = sentenceStarts[s + 1]!;
      starts[first] = n;
      for (let t = first; t < end; t += 1, starts[t] = n) {
        if (this.#listed[s] === 0 || t === first) continue;
        const start = n;
        pairs.set(plainPairs, n);
        scores.set(plainScores, n);
        for (const cell of plainCells) {
          marks[cell] = this.epoch + n;
          n += 1;
        }
        const last = edgeStarts[t + 1]!;
        // A chain has each pair once, so a single chain needs no lookup.
        const isAlone = n === start && last - edgeStarts[t]! === 1;
        for (let k = edgeStarts[t]!; k < last; k += 1) {
          const value = scale * (edgeValues === undefined ? 1 : edgeValues[k]!);
          n = addChain(this, edgeRows[k]!, value, n, isAlone ? -1 : start);
        }
      }
    }
    this.epoch += n;
  }
}

const noCells = new Uint32Array(0);

/** Returns the cells of plain transitions that may have a weight. */
function cellsOf({ support, labels, width }: ParameterStore): Uint32Array {
  const allowed = support!.transitions;
  const cells: number[] = [];
  for (let i = 0; i < labels * width; i += 1) if (allowed[i] === 1) cells.push(i);
  return Uint32Array.from(cells);
}

/** The parts of a lattice on which its lists depend. */
export interface ListedLattice {
  readonly edgeSlots: Int32Array;
  readonly transitionForm: 'auto' | 'dense' | 'sparse';
}

/**
 * Minimum number of labels for which lists pay off; above the maximum, a pair does not fit into a word.
 */
const fewestLabels = 16;
const mostLabels = 2 ** 16 - 1;
/** Maximum share of all pairs, averaged over a sentence's tokens, for which lists are assumed to be faster. */
const largestShare = 0.15;

/**
 * Returns 1 for each sentence whose transition pairs are listed: its tokens have few, as features conditioned on
 * observations keep single pairs. The choice depends only on features and pairs, so that results depend neither on the
 * rest of the batch nor on threads. Partially labelled sentences use matrices. Cost O(edge features).
 */
export function chooseListed(
  { labels, pairs: { lengths } }: ParameterStore,
  batch: Minibatch,
  { transitionForm, edgeSlots }: ListedLattice,
  plain: number,
): Uint8Array {
  const { sentenceStarts, edgeStarts, edgeRows, allowedStarts, gold } = batch;
  const listed = new Uint8Array(sentenceStarts.length - 1);
  if (transitionForm === 'dense' || labels > mostLabels) return listed;
  if (transitionForm === 'auto' && labels < fewestLabels) return listed;
  const share = transitionForm === 'sparse' ? Number.POSITIVE_INFINITY : largestShare;
  for (let s = 0; s < listed.length; s += 1) {
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    if (allowedStarts !== undefined && gold[first] === -1) continue;
    let slots = 0;
    let entries = 0;
    for (let t = first + 1; t < end; t += 1) {
      entries += plain;
      if (edgeSlots[t]! < 0) continue;
      slots += 1;
      for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
        entries += lengths[edgeRows![k]!]!;
      }
    }
    if (slots > 0 && entries <= share * labels ** 2 * (end - first - 1)) listed[s] = 1;
  }
  return listed;
}
