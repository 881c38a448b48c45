import type { Reals } from '../../core/arrays.js';
import type { Minibatch, PlacedRows } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { hasOwnTransitions, type Lattice } from '../lattice.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import { PackedChains } from '../pairs/packed-chains.js';
import type { AveragedRows } from '../rows/averaged-rows.js';
import type { CreationTimes } from '../store/creation-times.js';
import type { StatePairs } from '../store/state-pairs.js';
import type { Support } from '../store/support.js';
import { type SimdExports, SimdModule } from './simd-exports.js';
import { fewestLabels, TransitionLists } from './transition-lists.js';

/** The labels for which state features may have weights, as bits for the module; follows all changes. */
export class SupportBits {
  readonly #region: Region;
  #support: Support | undefined;
  #states = 0;
  #rows = 0;
  #width = 0;

  constructor(memory: LinearMemory) {
    this.#region = new Region(memory);
  }

  /** Number of words per feature, with one bit per label, lowest first. */
  get words(): number {
    return Math.ceil(this.#width / 32);
  }

  /** Brings the bits up to date; returns their address. Cost O(changes since the last call). */
  of(support: Support, rows: number, width: number): number {
    const isKnown = this.#support === support && support.follower === this;
    const isAnother = !isKnown || this.#states !== support.states || this.#width !== width;
    this.#width = width;
    const moved = this.#region.reserve(4 * this.words * rows);
    if (isAnother || moved) this.#copy(support, rows);
    else if (rows > this.#rows) this.#clear(this.#rows, rows);
    this.#rows = rows;
    const { added } = support;
    if (added.length > 0) {
      const words = this.#region.words(this.words * rows);
      for (const place of added) this.#set(words, place);
      added.length = 0;
    }
    return this.#region.offset;
  }

  #copy(support: Support, rows: number): void {
    this.#clear(0, rows);
    const words = this.#region.words(this.words * rows);
    const { state } = support;
    const end = Math.min(state.length, rows * this.#width);
    for (let place = state.indexOf(1); place >= 0 && place < end; ) {
      this.#set(words, place);
      place = state.indexOf(1, place + 1);
    }
    this.#support = support;
    this.#states = support.states;
    support.follower = this;
    support.added.length = 0;
  }

  #clear(from: number, to: number): void {
    this.#region.words(this.words * to).fill(0, this.words * from);
  }

  #set(words: Uint32Array, place: number): void {
    const row = Math.floor(place / this.#width);
    const label = place - row * this.#width;
    words[row * this.words + (label >>> 5)]! |= 1 << (label & 31);
  }
}

/** The creation times of state rows and labels, in the module's memory; only new ones are copied. */
class SimdCreationTimes {
  readonly #rows: Region;
  readonly #labels: Region;
  #copied: Float64Array | undefined;
  #count = 0;
  /** Number of changes already copied. */
  #followed = 0;

  constructor(memory: LinearMemory) {
    this.#rows = new Region(memory);
    this.#labels = new Region(memory);
  }

  /** Address of the rows' creation times, one float64 each. */
  get rows(): number {
    return this.#rows.offset;
  }

  /** Address of the labels' creation times, one float64 per lane. */
  get labels(): number {
    return this.#labels.offset;
  }

  update(creationTimes: CreationTimes, width: number): void {
    const { state, stateCount, reused, forgotten } = creationTimes;
    const moved = this.#rows.reserve(8 * stateCount);
    if (moved || this.#copied !== state || this.#followed < forgotten) this.#count = 0;
    else if (this.#followed < forgotten + reused.length) {
      const copy = this.#numbers(this.#rows, this.#count);
      for (let i = this.#followed - forgotten; i < reused.length; i += 1) {
        const row = reused[i]!;
        if (row < copy.length) copy[row] = state[row]!;
      }
    }
    this.#followed = forgotten + reused.length;
    if (this.#count < stateCount) {
      this.#numbers(this.#rows, stateCount).set(
        state.subarray(this.#count, stateCount),
        this.#count,
      );
    }
    this.#copied = state;
    this.#count = stateCount;
    this.#labels.reserve(8 * width);
    this.#numbers(this.#labels, width).set(creationTimes.labels.subarray(0, width));
  }

  #numbers({ memory, offset }: Region, count: number): Float64Array {
    return new Float64Array(memory.buffer, offset, count);
  }
}

/** The lists of active transitions of one lattice, for sums and for maxima. */
class LatticeLists {
  readonly sums: TransitionLists;
  readonly #maxima: TransitionLists;
  readonly #fewest: number;
  readonly #bytes: 4 | 8;
  readonly #transposed: Region;
  /** The batch whose transposed transition scores are stored. */
  #transposedOf = -1;
  /** The batch to which the lists for maxima belong, as counted by `Lattice.generation`. */
  #generation = -1;

  constructor(memory: LinearMemory, bytes: 4 | 8) {
    this.#bytes = bytes;
    this.#transposed = new Region(memory);
    this.sums = new TransitionLists(memory, bytes);
    this.#maxima = new TransitionLists(memory, bytes);
    this.#fewest = fewestLabels({ kind: 'maxima', bytes });
  }

  /**
   * Returns lists for Viterbi; undefined if they do not pay off. Checks once per batch whether scores have
   * changed.
   */
  maxima(run: SimdExports, lattice: Lattice, s: number): TransitionLists | undefined {
    const { generation, labels, transitionForm } = lattice;
    if (transitionForm === 'auto' && labels < this.#fewest) return undefined;
    const lists = this.#maxima;
    if (generation !== this.#generation) {
      this.#generation = generation;
      if (!lists.isCurrent(run, lattice)) lists.listMaxima(run, lattice);
    }
    return lists.active && !hasOwnTransitions(lattice, s) ? lists : undefined;
  }

  /** Returns the address of the transposed transition scores, with minus infinity past the last label. */
  transposed(run: SimdExports, lattice: Lattice): number {
    const { generation, labels, width, matrixSize, transitionScores } = lattice;
    if (generation !== this.#transposedOf) {
      this.#transposedOf = generation;
      this.#transposed.reserve(matrixSize * this.#bytes);
      const { offset } = this.#transposed;
      run.transpose(offset, transitionScores.offset, labels, width, Number.NEGATIVE_INFINITY);
    }
    return this.#transposed.offset;
  }
}

/** The pairs of state features and labels, in the module's memory. */
class PlacedPairs {
  readonly #starts: Region;
  readonly #labels: Region;
  #pairs: Uint32Array | undefined;

  constructor(memory: LinearMemory) {
    this.#starts = new Region(memory);
    this.#labels = new Region(memory);
  }

  /** Returns the addresses of the starts and labels, copied unless they are there already. */
  of({ starts, labels }: StatePairs): readonly [starts: number, labels: number] {
    if (this.#pairs !== starts) {
      this.#pairs = starts;
      this.#starts.write(starts);
      this.#labels.reserve(labels.byteLength);
      new Uint16Array(this.#labels.memory.buffer, this.#labels.offset, labels.length).set(labels);
    }
    return [this.#starts.offset, this.#labels.offset];
  }
}

/** The module over one memory, with the minibatch that its functions read there. */
export class SimdMemory {
  readonly #suffix: 'f32' | 'f64';
  readonly #module: SimdModule;
  readonly #starts: Region;
  readonly #rows: Region;
  readonly #values: Region;
  readonly #slots: Region;
  readonly #best: Region;
  readonly #gold: Region;
  readonly #sums: Region;
  readonly #heads: Region;
  readonly #links: Region;
  readonly #averaged: readonly [Region, Region, Region];
  readonly #memory: LinearMemory;
  #batch: Minibatch | undefined;
  #placed: PlacedRows | undefined;
  readonly #residuals: readonly [Region, Region, Region];
  #detached: Contribution | undefined;
  /** Address of the residuals of the contribution loaded last. */
  residual = 0;
  transitionResidual = 0;
  edgeResidual = 0;
  #slotsOwner: Lattice | undefined;
  #slotsGeneration = 0;
  #hasValues = false;
  readonly creationTimes: SimdCreationTimes;
  readonly support: SupportBits;
  readonly statePairs: PlacedPairs;
  readonly chains: PackedChains;
  readonly #allLists = new WeakMap<Lattice, LatticeLists>();
  /** The lattice requested last, and its lists. */
  #listed: Lattice | undefined;
  #lists: LatticeLists | undefined;

  constructor(memory: LinearMemory, suffix: 'f32' | 'f64') {
    this.#memory = memory;
    this.#suffix = suffix;
    this.#module = new SimdModule(memory, suffix);
    this.#starts = new Region(memory);
    this.#rows = new Region(memory);
    this.#values = new Region(memory);
    this.#slots = new Region(memory);
    this.#best = new Region(memory);
    this.#gold = new Region(memory);
    this.#sums = new Region(memory);
    this.#heads = new Region(memory);
    this.#links = new Region(memory);
    this.#averaged = [new Region(memory), new Region(memory), new Region(memory)];
    this.creationTimes = new SimdCreationTimes(memory);
    this.support = new SupportBits(memory);
    this.statePairs = new PlacedPairs(memory);
    this.chains = new PackedChains(memory);
    this.#residuals = [new Region(memory), new Region(memory), new Region(memory)];
  }

  get run(): SimdExports {
    return this.#module.run;
  }

  /** Copies the rows of a minibatch, unless they are there already. */
  load(batch: Minibatch): void {
    if (this.#batch === batch) return;
    this.#batch = batch;
    this.#placed = batch.placed;
    if (this.#placed !== undefined) return;
    this.#starts.write(batch.stateStarts);
    this.#rows.write(batch.stateRows);
    this.#hasValues = batch.stateValues !== undefined;
    if (batch.stateValues !== undefined) this.#values.write(batch.stateValues);
  }

  /** Finds the residuals of a contribution; copies them if it is detached. */
  loadResiduals(contribution: Contribution): void {
    if (contribution.residual.buffer === this.#memory.buffer) {
      this.residual = contribution.residual.byteOffset;
      this.transitionResidual = contribution.transitionResidual.byteOffset;
      this.edgeResidual = contribution.edgeResidual.byteOffset;
      return;
    }
    const [nodes, transitions, edges] = this.#residuals;
    if (this.#detached !== contribution) {
      this.#detached = contribution;
      nodes.write(contribution.residual);
      transitions.write(contribution.transitionResidual);
      edges.write(contribution.edgeResidual);
    }
    this.residual = nodes.offset;
    this.transitionResidual = transitions.offset;
    this.edgeResidual = edges.offset;
  }

  /**
   * Returns the address that `stateStarts` would have if the tokens of sentence `s` were numbered as in
   * the batch.
   */
  startsOf(s: number): number {
    if (this.#placed === undefined) return this.#starts.offset;
    const token = this.#placed.firstTokens[s]! - this.#batch!.sentenceStarts[s]!;
    return this.#placed.starts + 4 * token;
  }

  /** Returns the range of the rows of sentence `s`. */
  rangeOf(s: number): readonly [number, number] {
    const { sentenceStarts } = this.#batch!;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    if (this.#placed === undefined) {
      const { stateStarts } = this.#batch!;
      return [stateStarts[first]!, stateStarts[end]!];
    }
    const token = this.#placed.firstTokens[s]!;
    const { stateStarts } = this.#placed;
    return [stateStarts[token]!, stateStarts[token + end - first]!];
  }

  get rows(): number {
    return this.#placed === undefined ? this.#rows.offset : this.#placed.rows;
  }

  /** Address of the feature values; 0 if all are 1. */
  get values(): number {
    if (this.#placed !== undefined) return this.#placed.values;
    return this.#hasValues ? this.#values.offset : 0;
  }

  /** Copies the list of rows whose averages are brought up to date; returns the addresses of its parts. */
  placeAveraged({ count, rows, factors, lanes }: AveragedRows) {
    const [list, numbers, labels] = this.#averaged;
    list.write(rows.subarray(0, count));
    numbers.write(factors.subarray(0, 4 * count));
    labels.write(lanes);
    return { list: list.offset, factors: numbers.offset, lanes: labels.offset };
  }

  /**
   * Returns the address of the slots of a lattice's tokens, copied unless they are there already; 0 if
   * there are none.
   */
  slotsOf(lattice: Lattice): number {
    if (lattice.slots === 0) return 0;
    const current = this.#slotsOwner === lattice && this.#slotsGeneration === lattice.generation;
    if (!current) {
      this.#slots.write(lattice.edgeSlots.subarray(0, lattice.batch!.tokens));
      this.#slotsOwner = lattice;
      this.#slotsGeneration = lattice.generation;
    }
    return this.#slots.offset;
  }

  /** Returns the lists of a lattice's active transitions. */
  listsOf(lattice: Lattice): LatticeLists {
    if (this.#listed === lattice) return this.#lists!;
    let lists = this.#allLists.get(lattice);
    if (lists === undefined) {
      lists = new LatticeLists(this.#memory, this.#suffix === 'f64' ? 8 : 4);
      this.#allLists.set(lattice, lists);
    }
    this.#listed = lattice;
    this.#lists = lists;
    return lists;
  }

  /** Returns lists for Viterbi, if they pay off. */
  pathListsOf(lattice: Lattice, s: number): TransitionLists | undefined {
    return this.listsOf(lattice).maxima(this.run, lattice, s);
  }

  /** Returns the address of a lattice's transposed transition scores. */
  transposedOf(lattice: Lattice): number {
    return this.listsOf(lattice).transposed(this.run, lattice);
  }

  /** Makes room for `count` float64 numbers; returns its address. */
  sums(count: number): number {
    this.#sums.reserve(count * 8);
    return this.#sums.offset;
  }

  /** Returns the room from `sums` as an array of another's type and length; valid until memory grows. */
  numbersAt(place: number, like: Reals): Reals {
    const { buffer } = this.#memory;
    return like instanceof Float64Array
      ? new Float64Array(buffer, place, like.length)
      : new Float32Array(buffer, place, like.length);
  }

  /** Makes room for one word per row, 0 whenever not in use; returns its address. See `stepRows`. */
  heads(rows: number): number {
    this.#heads.reserve(rows * 4);
    return this.#heads.offset;
  }

  /** Makes room for two words per place; returns its address. */
  links(places: number): number {
    this.#links.reserve(places * 8);
    return this.#links.offset;
  }

  /** Copies the gold labels of a batch; returns their address. */
  goldOf(gold: Int32Array): number {
    this.#gold.write(gold);
    return this.#gold.offset;
  }

  /** Makes room for one label per token; returns its address. */
  bestLabels(tokens: number): number {
    this.#best.reserve(tokens * 4);
    return this.#best.offset;
  }

  /**
   * Copies the labels of tokens [first, end), without a view, which would cost more than a sentence's
   * labels.
   */
  copyBest(labels: Int32Array, first: number, end: number): void {
    const { words } = this.#memory;
    const start = this.#best.offset / 4;
    for (let t = first; t < end; t += 1) labels[t] = words[start + t]!;
  }
}
