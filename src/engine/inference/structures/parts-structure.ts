import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import { rowWidth } from '../../kernels/memory/real-table.js';
import type { LabelParts } from '../../kernels/store/label-columns.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { placeColumns, type Structure } from './structure.js';

/** A chain of labels composed of parts with their own weights; see `fillParts`. */
export const partsStructure: Structure = {
  name: 'parts',
  capabilities: [
    ...(['chain recursions', 'label lists', 'rules', 'n-best', 'span probabilities'] as const),
    ...(['token features', 'label losses', 'sequence scores'] as const),
  ],
  instead: 'leave parts out',
  fill: fillParts,
  spread(lattice, s, { parts }) {
    spreadParts(lattice, s, parts!);
  },
  place: placeColumns,
};

/**
 * Opens a lattice of labels for a minibatch, and fills it with sums over label parts: with column scores s, transition
 * weights A, and the columns P(y) of label y,
 *
 *     e_t(y) = sum over p in P(y) of s_t(p),   a(y', y) = sum over p' in P(y'), p in P(y) of A(p', p).
 *
 * The column scores stay in `lattice.columns`. For L labels of K columns each, C columns and N shared prefixes, the
 * cost is O(T N + L (C + L) K) plus that of the columns. If all sentences are pruned to k labels per token, it is
 * O(T (N + k^2 K^2)): label pairs that are never adjacent keep stale values, which nothing reads. After Mueller,
 * Schmid and Schuetze (2013), whose features apply to a whole tag and to each of its parts.
 */
function fillParts(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  const { prune, parts: made } = store.layout;
  const parts = made!;
  const labels = parts.starts.length - 1;
  const width = rowWidth(labels);
  lattice.columns ??= new Lattice(lattice.memory, store.precision, lattice.keepsPairSums);
  const { columns, candidates } = lattice;
  columns.leavesAllTransitions = true;
  columns.open(store, batch);
  lattice.open({ labels, width, matrixSize: width * width, support: undefined }, batch);
  kernel.score(store, columns);
  scoreLabels(columns, lattice, treeOf(parts), batch.tokens);
  if (prune !== undefined) kernel.prune(lattice, prune);
  if (candidates.isUsed && lattice.keepsGold) {
    columns.candidates.takeColumns(candidates, parts, columns.labels);
  }
  if (candidates.isAll) scoreListed(store, lattice, parts);
  else scoreTransitions(store, lattice, parts);
}

/** Labels as paths in a trie: labels with a common column prefix share its sum. */
interface PartTree {
  /**
   * `[nodes]` each node's parent, whose number is always lower than the node's own; 0 for the root,
   * which is node 0.
   */
  readonly parents: Int32Array;
  readonly columns: Int32Array;
  /** `[labels]` each label's last node. */
  readonly ends: Int32Array;
  /** `[nodes]` scratch for sums. */
  readonly sums: Float64Array;
}

const trees = new WeakMap<LabelParts, PartTree>();

/** Returns the trie of the labels, rebuilt if labels have been added. */
function treeOf(parts: LabelParts): PartTree {
  const known = trees.get(parts);
  const labels = parts.starts.length - 1;
  if (known?.ends.length === labels) return known;
  const parents = [0];
  const columns = [-1];
  const children: Map<number, number>[] = [new Map()];
  const ends = new Int32Array(labels);
  for (let y = 0; y < labels; y += 1) {
    let node = 0;
    for (let k = parts.starts[y]!; k < parts.starts[y + 1]!; k += 1) {
      const column = parts.columns[k]!;
      const known = children[node]!.get(column);
      const next = known ?? parents.length;
      if (known === undefined) {
        children[node]!.set(column, next);
        parents.push(node);
        columns.push(column);
        children.push(new Map());
      }
      node = next;
    }
    ends[y] = node;
  }
  const sums = new Float64Array(parents.length);
  const tree = { parents: Int32Array.from(parents), columns: Int32Array.from(columns), ends, sums };
  trees.set(parts, tree);
  return tree;
}

function scoreLabels(
  columns: Lattice,
  lattice: Lattice,
  { parents, columns: own, ends, sums }: PartTree,
  tokens: number,
): void {
  const from = columns.emissionScores.view;
  const into = lattice.emissionScores.view;
  const { width, labels } = lattice;
  for (let t = 0; t < tokens; t += 1) {
    const row = t * columns.width;
    for (let n = 1; n < sums.length; n += 1) sums[n] = sums[parents[n]!]! + from[row + own[n]!]!;
    const to = t * width;
    for (let y = 0; y < labels; y += 1) into[to + y] = sums[ends[y]!]!;
    into.fill(0, to + labels, to + width);
  }
}

/** Scores the transitions between all labels. Cost O(L (C + L) K). */
function scoreTransitions(store: ParameterStore, lattice: Lattice, parts: LabelParts): void {
  const { starts, columns: own } = parts;
  const { scale } = store;
  const from = store.weights.edges.view;
  const into = lattice.transitionScores.view;
  const { labels, width } = lattice;
  const sums = new Float64Array(store.labels);
  for (let y = 0; y < labels; y += 1) {
    sums.fill(0);
    for (let k = starts[y]!; k < starts[y + 1]!; k += 1) {
      const row = own[k]! * store.width;
      for (let c = 0; c < sums.length; c += 1) sums[c]! += from[row + c]!;
    }
    for (let z = 0; z < labels; z += 1) {
      let score = 0;
      for (let k = starts[z]!; k < starts[z + 1]!; k += 1) score += sums[own[k]!]!;
      into[y * width + z] = scale * score;
    }
  }
}

/** Scores the transitions between unpruned labels. Cost O(k^2 K^2) per token. */
function scoreListed(store: ParameterStore, lattice: Lattice, parts: LabelParts): void {
  const { candidates, batch, width } = lattice;
  const { sentenceStarts } = batch!;
  const { starts, labels } = candidates;
  const { scale } = store;
  const weights = store.weights.edges.view;
  const into = lattice.transitionScores.view;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
      for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
        const row = labels[i]! * width;
        for (let j = starts[t]!; j < starts[t + 1]!; j += 1) {
          into[row + labels[j]!] =
            scale * pairScore(weights, store.width, parts, labels[i]!, labels[j]!);
        }
      }
    }
  }
}

function pairScore(
  scores: Reals,
  width: number,
  { starts, columns }: LabelParts,
  from: number,
  to: number,
): number {
  let sum = 0;
  for (let i = starts[from]!; i < starts[from + 1]!; i += 1) {
    const row = columns[i]! * width;
    for (let j = starts[to]!; j < starts[to + 1]!; j += 1) sum += scores[row + columns[j]!]!;
  }
  return sum;
}

/**
 * Sums the label residuals of sentence `s` into the residuals of their columns, by the chain rule: `lattice.columns`
 * then holds the residuals that update the parameters. Needs `fillParts` of the same batch. Cost O(T L K + L^2 K^2);
 * for a sentence pruned to k labels per token with c columns, O(T (k^2 K^2 + c^2)).
 */
function spreadParts(lattice: Lattice, s: number, parts: LabelParts): void {
  const columns = lattice.columns!;
  const { sentenceStarts } = lattice.batch!;
  const { width } = columns;
  columns.nodes.view.fill(0, sentenceStarts[s]! * width, sentenceStarts[s + 1]! * width);
  if (lattice.candidates.isPruned(s)) spreadListed(lattice, columns, s, parts);
  else spreadWhole(lattice, columns, s, parts);
}

function spreadWhole(lattice: Lattice, columns: Lattice, s: number, parts: LabelParts): void {
  const { batch, labels, width } = lattice;
  const { sentenceStarts } = batch!;
  const { starts, columns: own } = parts;
  const from = lattice.nodes.view;
  const nodes = columns.nodes.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    for (let y = 0; y < labels; y += 1) {
      addTo(nodes, t * columns.width, parts, y, from[t * width + y]!);
    }
  }
  const pairs = lattice.transitions.view;
  const sums = columns.transitions.view;
  const base = columns.pairSumsAt(s);
  sums.fill(0, base, base + columns.matrixSize);
  for (let y = 0; y < labels; y += 1) {
    const row = lattice.pairSumsAt(s) + y * width;
    for (let z = 0; z < labels; z += 1) {
      const residual = pairs[row + z]!;
      for (let k = starts[y]!; residual !== 0 && k < starts[y + 1]!; k += 1) {
        addTo(sums, base + own[k]! * columns.width, parts, z, residual);
      }
    }
  }
}

function addTo(
  into: Reals,
  row: number,
  { starts, columns }: LabelParts,
  label: number,
  residual: number,
): void {
  if (residual === 0) return;
  for (let k = starts[label]!; k < starts[label + 1]!; k += 1) into[row + columns[k]!]! += residual;
}

function spreadListed(lattice: Lattice, columns: Lattice, s: number, parts: LabelParts): void {
  const { candidates, batch, width } = lattice;
  const { sentenceStarts } = batch!;
  const { starts: partStarts, columns: own } = parts;
  let pair = candidates.pairStarts(batch!)[s]!;
  const pairStarts = columns.candidates.pairStarts(batch!);
  let base = pairStarts[s]!;
  const { starts, labels } = candidates;
  const columnStarts = columns.candidates.starts;
  const listed = columns.candidates.labels;
  const from = lattice.nodes.view;
  const nodes = columns.nodes.view;
  const pairs = candidates.pairs.view;
  const sums = columns.candidates.pairs.view;
  sums.fill(0, base, pairStarts[s + 1]!);
  let places = new Int32Array(columns.labels);
  let before = new Int32Array(columns.labels);
  const first = sentenceStarts[s]!;
  for (let t = first; t < sentenceStarts[s + 1]!; t += 1) {
    [before, places] = [places, before];
    const start = columnStarts[t]!;
    const count = columnStarts[t + 1]! - start;
    for (let c = 0; c < count; c += 1) places[listed[start + c]!] = c;
    for (let j = starts[t]!; j < starts[t + 1]!; j += 1) {
      addTo(nodes, t * columns.width, parts, labels[j]!, from[t * width + labels[j]!]!);
    }
    if (t === first) continue;
    for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
      const y = labels[i]!;
      for (let j = starts[t]!; j < starts[t + 1]!; j += 1, pair += 1) {
        const z = labels[j]!;
        const residual = pairs[pair]!;
        for (let k = partStarts[y]!; k < partStarts[y + 1]!; k += 1) {
          const row = base + before[own[k]!]! * count;
          for (let l = partStarts[z]!; l < partStarts[z + 1]!; l += 1) {
            sums[row + places[own[l]!]!]! += residual;
          }
        }
      }
    }
    base += (start - columnStarts[t - 1]!) * count;
  }
}
