import type { Minibatch, PlacedRows } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { Lattice } from '../lattice.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import { PackedChains } from '../pairs/packed-chains.js';
import { LatticeLists } from './lattice-lists.js';
import { PlacedPairs } from './placed-pairs.js';
import { SimdCreationTimes } from './simd-creation-times.js';
import { type SimdExports, SimdModule } from './simd-exports.js';

import { SupportBits } from './support-bits.js';
import type { TransitionLists } from './transition-lists.js';

/** The module over one memory, and the minibatch that its functions read there. */
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
  readonly #memory: LinearMemory;
  #batch: Minibatch | undefined;
  #placed: PlacedRows | undefined;
  readonly #residuals: readonly [Region, Region, Region];
  #detached: Contribution | undefined;
  /** Where the residuals of the contribution are that was loaded last. */
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
  /** The lattice that was asked for last, and its lists. */
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

  /** Finds the residuals of a contribution; those of a detached one are copied. */
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

  /** Where `stateStarts` would begin for the tokens of sentence `s` to have their numbers in the batch. */
  startsOf(s: number): number {
    if (this.#placed === undefined) return this.#starts.offset;
    const token = this.#placed.firstTokens[s]! - this.#batch!.sentenceStarts[s]!;
    return this.#placed.starts + 4 * token;
  }

  /** First and last place of the rows of sentence `s`. */
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

  /** 0 where all values are 1. */
  get values(): number {
    if (this.#placed !== undefined) return this.#placed.values;
    return this.#hasValues ? this.#values.offset : 0;
  }

  /** Where the slots of a lattice's tokens are, copied unless they are there already; 0 without any. */
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

  /** The lists of a lattice's active transitions. */
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

  /** Lists for Viterbi, where they pay. */
  pathListsOf(lattice: Lattice, s: number): TransitionLists | undefined {
    return this.listsOf(lattice).maxima(this.run, lattice, s);
  }

  /** The transition scores of a lattice with rows and columns exchanged. */
  transposedOf(lattice: Lattice): number {
    return this.listsOf(lattice).transposed(this.run, lattice);
  }

  /** Room for `count` numbers in float64. */
  sums(count: number): number {
    this.#sums.reserve(count * 8);
    return this.#sums.offset;
  }

  /** Where the gold labels of a batch are, copied. */
  goldOf(gold: Int32Array): number {
    this.#gold.write(gold);
    return this.#gold.offset;
  }

  /** Room for one label a token; returns where. */
  bestLabels(tokens: number): number {
    this.#best.reserve(tokens * 4);
    return this.#best.offset;
  }

  /** Copies the labels there of tokens [first, end): a view for each sentence would cost more than its labels. */
  copyBest(labels: Int32Array, first: number, end: number): void {
    const { words } = this.#memory;
    const start = this.#best.offset / 4;
    for (let t = first; t < end; t += 1) labels[t] = words[start + t]!;
  }
}
