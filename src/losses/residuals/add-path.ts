import type { Lattice } from '../../kernels/lattice.js';

/**
 * Adds `amount` times the indicator of a label sequence to the node, edge and transition tables of
 * sentence `s`, and to those of what else is scored: with -1 and the gold labels, expectations become residuals.
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

/** The same over the labels that pruning has left, which those of the path are among. */
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
