import type { Reals } from '../../core/arrays.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Lattice } from '../../kernels/lattice.js';

/** Multiplies the node, edge and transition tables of sentence `s`. */
export function scaleResiduals(lattice: Lattice, s: number, factor: number): void {
  requireArgument('scaleResiduals: the lattice', lattice, kinds.lattice);
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  scale(lattice.nodes.view, first * width, end * width, factor);
  if (lattice.candidates.isPruned(s)) {
    scalePruned(lattice, s, factor);
    return;
  }
  scale(lattice.transitions.view, s * matrixSize, (s + 1) * matrixSize, factor);
  const further = lattice.further?.residuals(s, first, end);
  if (further !== undefined) scale(further, 0, further.length, factor);
  if (lattice.pairLists.isListed(s)) {
    scaleListed(lattice, s, factor);
    return;
  }
  for (let t = first; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot >= 0) scale(lattice.edges.view, slot * matrixSize, (slot + 1) * matrixSize, factor);
  }
}

function scale(numbers: Reals, from: number, to: number, factor: number): void {
  for (let i = from; i < to; i += 1) numbers[i]! *= factor;
}

/**
 * Sets the node, edge and transition tables of sentence `s` to zero, so that the sentence has no
 * effect.
 */
export function clearResiduals(lattice: Lattice, s: number): void {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  lattice.nodes.view.fill(0, first * width, end * width);
  if (lattice.candidates.isPruned(s)) {
    scalePruned(lattice, s, 0);
    return;
  }
  lattice.transitions.view.fill(0, s * matrixSize, (s + 1) * matrixSize);
  lattice.further?.residuals(s, first, end).fill(0);
  if (lattice.pairLists.isListed(s)) {
    scaleListed(lattice, s, 0);
    return;
  }
  for (let t = first; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot >= 0) lattice.edges.view.fill(0, slot * matrixSize, (slot + 1) * matrixSize);
  }
}

/**
 * Multiplies the edge residuals of the listed pairs of sentence `s`; the others are never read. Cost O(listed pairs).
 */
function scaleListed(lattice: Lattice, s: number, factor: number): void {
  const { width, matrixSize, edgeSlots, pairLists } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const { starts, pairs } = pairLists;
  const edges = lattice.edges.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const slot = edgeSlots[t]!;
    if (slot < 0) continue;
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const pair = pairs[k]!;
      const at = slot * matrixSize + (pair & 65535) * width + (pair >>> 16);
      edges[at] = factor === 0 ? 0 : edges[at]! * factor;
    }
  }
}

/** Multiplies the residuals of the unpruned pairs of sentence `s`. Cost O(pairs). */
function scalePruned({ candidates, batch }: Lattice, s: number, factor: number): void {
  const starts = candidates.pairStarts(batch!);
  const pairs = candidates.pairs.view;
  for (let i = starts[s]!; i < starts[s + 1]!; i += 1) {
    pairs[i] = factor === 0 ? 0 : pairs[i]! * factor;
  }
}

/**
 * Adds `amount` times the indicator of a label sequence to the node, edge and transition tables of sentence `s`,
 * and to the tables of further scores: with -1 and the gold labels, this turns expectations into residuals.
 */
export function addPath(lattice: Lattice, s: number, path: Int32Array, amount: number): void {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  const nodes = lattice.nodes.view;
  if (lattice.candidates.isPruned(s)) {
    addPrunedPath(lattice, s, path, amount);
    return;
  }
  const edges = lattice.edges.view;
  const transitions = lattice.transitions.view;
  for (let t = first; t < end; t += 1) {
    nodes[t * width + path[t]!]! += amount;
    if (t === first) continue;
    const pair = path[t - 1]! * width + path[t]!;
    transitions[s * matrixSize + pair]! += amount;
    const slot = lattice.edgeSlots[t]!;
    if (slot >= 0) edges[slot * matrixSize + pair]! += amount;
  }
  lattice.further?.addPath(s, path, first, end, amount);
}

/** Does the same over the unpruned labels, which must include those of the path. */
function addPrunedPath(lattice: Lattice, s: number, path: Int32Array, amount: number): void {
  const { candidates, batch, width } = lattice;
  const pairStarts = candidates.pairStarts(batch!);
  const { starts } = candidates;
  const nodes = lattice.nodes.view;
  const pairs = candidates.pairs.view;
  let pair = pairStarts[s]!;
  let before = -1;
  for (let t = batch!.sentenceStarts[s]!; t < batch!.sentenceStarts[s + 1]!; t += 1) {
    nodes[t * width + path[t]!]! += amount;
    const entry = candidates.entryOf(t, path[t]!);
    const count = starts[t + 1]! - starts[t]!;
    if (before >= 0) {
      pairs[pair + before * count + entry]! += amount;
      pair += (starts[t]! - starts[t - 1]!) * count;
    }
    before = entry;
  }
}
