import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import type { RealTable } from '../memory/real-table.js';
import { Region } from '../memory/region.js';
import { SimdModule } from '../simd/simd-exports.js';
import type { PairPlaces } from '../store/parameter-store.js';
import {
  leafStarts,
  previousLabelOf,
  type RegressionTree,
  subtreeEnds,
} from '../store/regression-tree.js';
import { TreeWalk } from './tree-walk.js';

/** Number of leaves per word of bits. */
const wordLeaves = 32;

/** Number of labels summed at a time. */
const lanes = 8;

/**
 * A sum of regression trees over the features of a token, added to the scores of its labels.
 *
 * No tree is walked. Each has a bit per leaf, initially set; each of the token's features clears, for every split on it,
 * the leaves for tokens without it, and the first remaining leaf is the token's (QuickScorer: Lucchese et al. 2015). A
 * tree without splits on the token's features ends in its first leaf: the sum of all first leaves is precomputed, and for
 * other trees only the difference from the first leaf is added. Sums are float64. Differences are rows of all labels, or
 * lists of labels if leaves have few.
 *
 * Cost per token: O(trees + splits on its features + labels of its leaves other than first leaves); a forest suits tasks
 * such as part-of-speech tagging, in which nearly all trees split on a token's features.
 *
 * Splits on the previous label matter only in `addPairs`, which walks the trees that have any; elsewhere they count as
 * splits on an absent feature.
 */
export class Forest {
  readonly trees: readonly RegressionTree[];
  /** `[labels]`: the sum of all trees' first leaves. */
  readonly #base: Float64Array;
  /** For each row, where its splits begin in the next two arrays, which hold a word and the bits to keep. */
  #splitStarts = new Uint32Array(1);
  #splitWords = new Uint32Array(0);
  #splitMasks = new Int32Array(0);
  /** The first word of each tree. */
  #firstWords = new Uint32Array(1);
  /** Index of each tree's first leaf among all leaves. */
  #firstLeaves = new Uint32Array(0);
  /** Differences between leaves and the first leaves of their trees, as lists of labels. */
  #leafStarts = new Uint32Array(1);
  #labels = new Uint16Array(0);
  #differences = new Float64Array(0);
  /** The differences as rows of `#width` labels, in float32 if that is exact; undefined if lists are shorter. */
  #rows: LeafRows | undefined;
  readonly #width: number;
  #bits = new Int32Array(0);
  #touched: Uint32Array;
  #sums: Float64Array;
  readonly #labelCount: number;
  /** The trees that split on the previous label. */
  readonly #pairWalks: readonly TreeWalk[];
  /** 1 for each feature of a token while its pairs are scored. */
  readonly #active: Uint8Array;
  readonly seesPrevious: boolean;

  /**
   * @param trees complete trees: see `subtreeEnds`
   * @param labels number of labels, covering those of all leaves
   */
  constructor(trees: readonly RegressionTree[], labels: number) {
    this.trees = trees;
    this.#width = lanes * Math.ceil(labels / lanes);
    this.#base = new Float64Array(this.#width);
    this.#sums = new Float64Array(this.#width);
    this.#placeSplits();
    this.#placeLeaves(labels);
    this.#labelCount = labels;
    this.#touched = new Uint32Array(trees.length);
    this.#pairWalks = trees
      .filter(({ nodes }) => nodes.some(node => previousLabelOf(node) >= 0))
      .map(tree => new TreeWalk(tree));
    this.seesPrevious = this.#pairWalks.length > 0;
    this.#active = new Uint8Array(this.#splitStarts.length - 1);
  }

  /**
   * Adds the trees' scores of tokens, given each previous label, to the scores of label pairs, minus the scores that
   * `addTo` has already added. Cost per token: O(trees with splits on labels x labels they split on x depth).
   *
   * @param slots index of each token's matrix, negative for none
   */
  addPairs(
    { tokens, stateStarts, stateRows }: Pick<Minibatch, 'tokens' | 'stateStarts' | 'stateRows'>,
    { view: scores }: RealTable,
    { slots, width, matrixSize }: PairPlaces,
  ): void {
    const active = this.#active;
    for (let t = 0; t < tokens; t += 1) {
      const slot = slots[t]!;
      if (slot < 0) continue;
      const [start, end] = [stateStarts[t]!, stateStarts[t + 1]!];
      for (let k = start; k < end; k += 1) active[stateRows[k]!] = 1;
      for (const walk of this.#pairWalks) walk.addPairs(active, scores, slot * matrixSize, width);
      for (let k = start; k < end; k += 1) active[stateRows[k]!] = 0;
    }
  }

  /**
   * Adds the trees' scores of all tokens of a minibatch.
   *
   * @param table scores, `[tokens x width]`; leaf rows are summed in its memory
   */
  addTo(
    { tokens, stateStarts, stateRows }: Pick<Minibatch, 'tokens' | 'stateStarts' | 'stateRows'>,
    table: RealTable,
    width: number,
  ): void {
    const rows = this.#rows === undefined ? undefined : LeafSums.of(table.memory);
    if (rows !== undefined) ({ leaves: this.#touched, sums: this.#sums } = rows.open(this.#rows!));
    const sums = this.#sums;
    const labels = this.#labelCount;
    // Taken after the last allocation, which may invalidate views.
    const scores = table.view;
    for (let t = 0; t < tokens; t += 1) {
      const leaves = this.#leavesOf(stateRows, stateStarts[t]!, stateStarts[t + 1]!);
      if (rows === undefined) this.#addLists(leaves);
      else rows.add(leaves);
      const row = t * width;
      for (let y = 0; y < labels; y += 1) scores[row + y]! += sums[y]!;
    }
  }

  /** Sums the first leaves of all trees and the differences of the first `leaves` leaves in `#touched`. */
  #addLists(leaves: number): void {
    const sums = this.#sums;
    const labels = this.#labels;
    const differences = this.#differences;
    const starts = this.#leafStarts;
    sums.set(this.#base);
    for (let i = 0; i < leaves; i += 1) {
      const leaf = this.#touched[i]!;
      const end = starts[leaf + 1]!;
      for (let k = starts[leaf]!; k < end; k += 1) sums[labels[k]!]! += differences[k]!;
    }
  }

  /** Collects a token's leaves, except first leaves, in `#touched`; returns their number. */
  #leavesOf(rows: Uint32Array, start: number, end: number): number {
    this.#clear(rows, start, end);
    const bits = this.#bits;
    const firstWords = this.#firstWords;
    const firstLeaves = this.#firstLeaves;
    const touched = this.#touched;
    let leaves = 0;
    for (let tree = 0; tree < firstLeaves.length; tree += 1) {
      let word = firstWords[tree]!;
      if ((bits[word]! & 1) === 1) continue;
      let leaf = firstLeaves[tree]!;
      for (; bits[word] === 0; word += 1) leaf += wordLeaves;
      const set = bits[word]!;
      touched[leaves] = leaf + 31 - Math.clz32(set & -set);
      leaves += 1;
    }
    return leaves;
  }

  /** Clears the leaves that a token with these features cannot reach. */
  #clear(rows: Uint32Array, start: number, end: number): void {
    const bits = this.#bits;
    const starts = this.#splitStarts;
    const words = this.#splitWords;
    const masks = this.#splitMasks;
    const known = starts.length - 1;
    bits.fill(-1);
    for (let k = start; k < end; k += 1) {
      const row = rows[k]!;
      if (row >= known) continue;
      const last = starts[row + 1]!;
      for (let i = starts[row]!; i < last; i += 1) bits[words[i]!]! &= masks[i]!;
    }
  }

  #placeSplits(): void {
    const { trees } = this;
    const found: { readonly row: number; readonly word: number; readonly mask: number }[] = [];
    let words = 0;
    this.#firstWords = new Uint32Array(trees.length + 1);
    let rows = 0;
    for (const [number, { nodes, sizes }] of trees.entries()) {
      const first = words;
      this.#firstWords[number] = first;
      words += Math.ceil(sizes.length / wordLeaves);
      const ends = subtreeEnds(nodes)!;
      const leaves = leavesBefore(nodes);
      for (let node = 0; node < nodes.length; node += 1) {
        if (nodes[node] === 0 || previousLabelOf(nodes[node]!) >= 0) continue;
        const row = nodes[node]! - 1;
        rows = Math.max(rows, row + 1);
        // The leaves for tokens without the feature.
        const from = leaves[node + 1]!;
        const to = leaves[ends[node + 1]!]!;
        for (let word = from >>> 5; word * wordLeaves < to; word += 1) {
          found.push({ row, word: first + word, mask: ~bitsBetween(from, to, word * wordLeaves) });
        }
      }
    }
    this.#firstWords[trees.length] = words;
    this.#bits = new Int32Array(words);
    this.#splitStarts = new Uint32Array(rows + 1);
    for (const { row } of found) this.#splitStarts[row + 1]! += 1;
    for (let row = 0; row < rows; row += 1) this.#splitStarts[row + 1]! += this.#splitStarts[row]!;
    const next = this.#splitStarts.slice();
    this.#splitWords = new Uint32Array(found.length);
    this.#splitMasks = new Int32Array(found.length);
    for (const { row, word, mask } of found) {
      this.#splitWords[next[row]!] = word;
      this.#splitMasks[next[row]!] = mask;
      next[row]! += 1;
    }
  }

  #placeLeaves(labelCount: number): void {
    const { trees } = this;
    this.#firstLeaves = new Uint32Array(trees.length);
    const starts = [0];
    const labels: number[] = [];
    const differences: number[] = [];
    const row = new Float64Array(labelCount);
    for (const [number, tree] of trees.entries()) {
      this.#firstLeaves[number] = starts.length - 1;
      const own = leafStarts(tree.sizes);
      const first = new Float64Array(labelCount);
      for (let i = 0; i < own[1]!; i += 1) first[tree.labels[i]!] = tree.values[i]!;
      for (let leaf = 0; leaf < tree.sizes.length; leaf += 1) {
        row.fill(0);
        for (let i = own[leaf]!; i < own[leaf + 1]!; i += 1) row[tree.labels[i]!] = tree.values[i]!;
        for (let y = 0; y < labelCount; y += 1) {
          if (row[y] === first[y]) continue;
          labels.push(y);
          differences.push(row[y]! - first[y]!);
        }
        starts.push(labels.length);
      }
      for (let y = 0; y < labelCount; y += 1) this.#base[y]! += first[y]!;
    }
    if (labels.length * 2 > (starts.length - 1) * this.#width) {
      const size = (starts.length - 1) * this.#width;
      const isExact = differences.every(difference => Math.fround(difference) === difference);
      const rows = isExact ? new Float32Array(size) : new Float64Array(size);
      for (let leaf = 0; leaf + 1 < starts.length; leaf += 1) {
        const at = leaf * this.#width;
        for (let i = starts[leaf]!; i < starts[leaf + 1]!; i += 1) {
          rows[at + labels[i]!] = differences[i]!;
        }
      }
      this.#rows = { rows, base: this.#base, most: trees.length };
      return;
    }
    this.#leafStarts = Uint32Array.from(starts);
    this.#labels = Uint16Array.from(labels);
    this.#differences = Float64Array.from(differences);
  }
}

/** Returns for each node, and for the end, the number of leaves before it. */
function leavesBefore(nodes: Uint32Array): Uint32Array {
  const before = new Uint32Array(nodes.length + 1);
  for (let i = 0; i < nodes.length; i += 1) before[i + 1] = before[i]! + (nodes[i] === 0 ? 1 : 0);
  return before;
}

/** Returns the leaves `[from, to)` as bits of a word whose first leaf is `first`. */
function bitsBetween(from: number, to: number, first: number): number {
  let bits = 0;
  for (let leaf = Math.max(from, first); leaf < Math.min(to, first + wordLeaves); leaf += 1) {
    bits |= 1 << (leaf - first);
  }
  return bits;
}

/** The rows of a forest's leaves. */
interface LeafRows {
  /** `[leaves x width]`: the rows. */
  readonly rows: Reals;
  /** `[width]`: row added to every sum; a multiple of eight labels. */
  readonly base: Float64Array;
  /** Maximum number of leaves summed at a time. */
  readonly most: number;
}

const known = new WeakMap<LinearMemory, LeafSums>();

/** Sums rows of leaves in one memory, one forest at a time, so that the next forest reuses the room. */
class LeafSums {
  readonly #memory: LinearMemory;
  readonly #rows: Region;
  readonly #numbers: Region;
  readonly #leaves: Region;
  #module!: SimdModule;
  #placed: LeafRows | undefined;

  private constructor(memory: LinearMemory) {
    this.#memory = memory;
    this.#rows = new Region(memory);
    this.#numbers = new Region(memory);
    this.#leaves = new Region(memory);
  }

  static of(memory: LinearMemory): LeafSums {
    const sums = known.get(memory) ?? new LeafSums(memory);
    known.set(memory, sums);
    return sums;
  }

  /**
   * Copies the rows into memory unless they are there already; returns leaf indices and sums as views, valid until memory
   * grows.
   */
  open(given: LeafRows): { readonly leaves: Uint32Array; readonly sums: Float64Array } {
    const { rows, base, most } = given;
    if (this.#placed !== given) {
      this.#placed = given;
      this.#rows.write(rows);
      this.#numbers.reserve(2 * base.byteLength);
      this.#numbers.write(base);
      this.#leaves.reserve(4 * most);
      this.#module = new SimdModule(this.#memory, rows instanceof Float32Array ? 'f32' : 'f64');
    }
    const { buffer } = this.#memory;
    const sums = this.#numbers.offset + base.byteLength;
    return { leaves: this.#leaves.words(most), sums: new Float64Array(buffer, sums, base.length) };
  }

  /** Sums the base and the rows of the first `count` leaves of the view, in order. */
  add(count: number): void {
    const { base } = this.#placed!;
    const { offset } = this.#numbers;
    const sums = offset + base.byteLength;
    const rows = this.#rows.offset;
    this.#module.run.addLeafRows(sums, offset, this.#leaves.offset, count, rows, base.length);
  }
}
