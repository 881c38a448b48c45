import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Reals } from '../../core/reals.js';
import { leafStarts } from './leaf-starts.js';
import { type RegressionTree, subtreeEnds } from './regression-tree.js';

/** Leaves in one word of bits. */
const wordLeaves = 32;

/** Labels that are added up at once. */
const lanes = 8;

/**
 * The sum of regression trees over the features of a token, as it is added to the scores of its labels.
 *
 * No tree is walked. Each has a bit for each leaf, all of them set at first; a feature of the token clears, in each
 * split on it, the leaves for tokens without it, and the first leaf that is left is the token's own (QuickScorer:
 * Lucchese et al. 2015). A tree that no feature of a token splits comes to its first leaf: the sum of these leaves is
 * known beforehand, and of other trees only the difference to it is added. Sums are float64. Differences are rows of all
 * labels, or lists of labels where leaves have few.
 *
 * Cost of a token: O(splits on its features + labels of the leaves of those trees).
 */
export class Forest {
  readonly trees: readonly RegressionTree[];
  /** `[labels]` what the first leaves of all trees say. */
  readonly #base: Float64Array;
  /** For each row where its splits begin in the two that follow: a word, and its bits that stay. */
  #splitStarts = new Uint32Array(1);
  #splitWords = new Uint32Array(0);
  #splitMasks = new Int32Array(0);
  /** The tree of each word, and the first word of each tree. */
  #treeOfWord = new Uint32Array(0);
  #firstWords = new Uint32Array(1);
  /** The first leaf of each tree among those of all. */
  #firstLeaves = new Uint32Array(0);
  /** What a leaf says less what the first of its tree says, as a list of labels. */
  #leafStarts = new Uint32Array(1);
  #labels = new Uint16Array(0);
  #differences = new Float64Array(0);
  /** The same as rows of `#width` labels, in float32 where it has them exactly; undefined where lists are shorter. */
  #rows: Reals | undefined;
  readonly #width: number;
  readonly #bits: Int32Array;
  /** For each tree the token that its bits are of, counted from 1 over all calls. */
  readonly #seen: Float64Array;
  readonly #touched: Uint32Array;
  readonly #sums: Float64Array;
  readonly #labelCount: number;
  #tokens = 0;

  /**
   * @param trees of whole nodes: see `subtreeEnds`
   * @param labels at least those of the leaves
   */
  constructor(trees: readonly RegressionTree[], labels: number) {
    this.trees = trees;
    this.#width = lanes * Math.ceil(labels / lanes);
    this.#base = new Float64Array(this.#width);
    this.#sums = new Float64Array(this.#width);
    this.#placeSplits();
    this.#placeLeaves(labels);
    this.#labelCount = labels;
    this.#bits = new Int32Array(this.#treeOfWord.length);
    this.#seen = new Float64Array(trees.length);
    this.#touched = new Uint32Array(trees.length);
  }

  /**
   * Adds what the trees say to the scores of all tokens of a minibatch.
   *
   * @param scores `[tokens x width]`
   */
  addTo(
    { tokens, stateStarts, stateRows }: Pick<Minibatch, 'tokens' | 'stateStarts' | 'stateRows'>,
    scores: Reals,
    width: number,
  ): void {
    const sums = this.#sums;
    const labels = this.#labelCount;
    for (let t = 0; t < tokens; t += 1) {
      const leaves = this.#leavesOf(stateRows, stateStarts[t]!, stateStarts[t + 1]!);
      if (this.#rows === undefined) this.#addLists(leaves);
      else this.#addRows(leaves, this.#rows);
      const row = t * width;
      for (let y = 0; y < labels; y += 1) scores[row + y]! += sums[y]!;
    }
  }

  /** The sums of the first leaves and of the differences of the first `leaves` in `#touched`. */
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

  /** The same from rows: the sums of some labels at a time stay in registers. */
  #addRows(leaves: number, rows: Reals): void {
    const sums = this.#sums;
    const base = this.#base;
    const touched = this.#touched;
    const width = this.#width;
    for (let y = 0; y < width; y += lanes) {
      let [a, b, c, d] = [base[y]!, base[y + 1]!, base[y + 2]!, base[y + 3]!];
      let [e, f, g, h] = [base[y + 4]!, base[y + 5]!, base[y + 6]!, base[y + 7]!];
      for (let i = 0; i < leaves; i += 1) {
        const at = touched[i]! * width + y;
        a += rows[at]!;
        b += rows[at + 1]!;
        c += rows[at + 2]!;
        d += rows[at + 3]!;
        e += rows[at + 4]!;
        f += rows[at + 5]!;
        g += rows[at + 6]!;
        h += rows[at + 7]!;
      }
      sums[y] = a;
      sums[y + 1] = b;
      sums[y + 2] = c;
      sums[y + 3] = d;
      sums[y + 4] = e;
      sums[y + 5] = f;
      sums[y + 6] = g;
      sums[y + 7] = h;
    }
  }

  /** Puts the leaves that a token comes to into `#touched`, but for first ones; returns how many they are. */
  #leavesOf(rows: Uint32Array, start: number, end: number): number {
    const touched = this.#clear(rows, start, end);
    let leaves = 0;
    for (let i = 0; i < touched; i += 1) {
      const tree = this.#touched[i]!;
      const leaf = this.#leafOf(tree);
      if (leaf === this.#firstLeaves[tree]) continue;
      this.#touched[leaves] = leaf;
      leaves += 1;
    }
    return leaves;
  }

  /** Clears the leaves that a token with these features does not come to; returns the number of trees it has bits of. */
  #clear(rows: Uint32Array, start: number, end: number): number {
    this.#tokens += 1;
    const token = this.#tokens;
    const bits = this.#bits;
    const seen = this.#seen;
    const starts = this.#splitStarts;
    const known = starts.length - 1;
    let touched = 0;
    for (let k = start; k < end; k += 1) {
      const row = rows[k]!;
      if (row >= known) continue;
      const last = starts[row + 1]!;
      for (let i = starts[row]!; i < last; i += 1) {
        const word = this.#splitWords[i]!;
        const tree = this.#treeOfWord[word]!;
        if (seen[tree] !== token) {
          seen[tree] = token;
          const lastWord = this.#firstWords[tree + 1]!;
          for (let own = this.#firstWords[tree]!; own < lastWord; own += 1) bits[own] = -1;
          this.#touched[touched] = tree;
          touched += 1;
        }
        bits[word]! &= this.#splitMasks[i]!;
      }
    }
    return touched;
  }

  /** The first leaf of a tree whose bit is set, among the leaves of all trees. */
  #leafOf(tree: number): number {
    let word = this.#firstWords[tree]!;
    let leaf = this.#firstLeaves[tree]!;
    for (; this.#bits[word] === 0; word += 1) leaf += wordLeaves;
    const set = this.#bits[word]!;
    return leaf + 31 - Math.clz32(set & -set);
  }

  #placeSplits(): void {
    const { trees } = this;
    const found: { readonly row: number; readonly word: number; readonly mask: number }[] = [];
    const treeOfWord: number[] = [];
    this.#firstWords = new Uint32Array(trees.length + 1);
    let rows = 0;
    for (const [number, { nodes, sizes }] of trees.entries()) {
      const first = treeOfWord.length;
      this.#firstWords[number] = first;
      for (let leaf = 0; leaf < sizes.length; leaf += wordLeaves) treeOfWord.push(number);
      const ends = subtreeEnds(nodes)!;
      const leaves = leavesBefore(nodes);
      for (let node = 0; node < nodes.length; node += 1) {
        if (nodes[node] === 0) continue;
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
    this.#firstWords[trees.length] = treeOfWord.length;
    this.#treeOfWord = Uint32Array.from(treeOfWord);
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
      this.#rows = isExact ? new Float32Array(size) : new Float64Array(size);
      for (let leaf = 0; leaf + 1 < starts.length; leaf += 1) {
        const at = leaf * this.#width;
        for (let i = starts[leaf]!; i < starts[leaf + 1]!; i += 1) {
          this.#rows[at + labels[i]!] = differences[i]!;
        }
      }
      return;
    }
    this.#leafStarts = Uint32Array.from(starts);
    this.#labels = Uint16Array.from(labels);
    this.#differences = Float64Array.from(differences);
  }
}

/** For each node, and for the end, how many leaves come before it. */
function leavesBefore(nodes: Uint32Array): Uint32Array {
  const before = new Uint32Array(nodes.length + 1);
  for (let i = 0; i < nodes.length; i += 1) before[i + 1] = before[i]! + (nodes[i] === 0 ? 1 : 0);
  return before;
}

/** The leaves of `[from, to)` that a word has whose first leaf is `first`, as its bits. */
function bitsBetween(from: number, to: number, first: number): number {
  let bits = 0;
  for (let leaf = Math.max(from, first); leaf < Math.min(to, first + wordLeaves); leaf += 1) {
    bits |= 1 << (leaf - first);
  }
  return bits;
}
