import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { Lattice } from '../../../kernels/lattice.js';

/**
 * Leaves out of the residuals of sentence `s` what associative potentials have no weight for: pairs of different labels, and
 * what would take a weight further below 0, where its potential is 0 already. So a weight stays about where it
 * may be (a projected subgradient), and comes back when it pays.
 */
export function keepAssociative(lattice: Lattice, s: number): void {
  const graph = lattice.graph!;
  const { labels } = graph;
  for (let k = 0; k < graph.count(s); k += 1) {
    for (let x = 0; x < labels; x += 1) {
      for (let y = 0; y < labels; y += 1) {
        const at = graph.pairAt(s, k, x, y);
        if (x !== y || (graph.nodes[at]! > 0 && graph.scores[at] === 0)) graph.nodes[at] = 0;
      }
    }
  }
}

/**
 * Puts the residuals of tokens, transitions and links of all sentences into the lattice of positions, where links follow
 * the tokens, each with the edge features of its type. Cost O((tokens + links) * labels^2).
 */
export function placeLinks(lattice: Lattice, batch: Minibatch): Lattice {
  const { memory, nodes, edges, edgeSlots, labels, width, matrixSize } = lattice;
  lattice.positions ??= new Lattice(memory, nodes.precision, lattice.keepsPairSums);
  const { positions } = lattice;
  const placed = batch.positions!;
  positions.open(lattice, placed);
  const graph = lattice.graph!;
  const { sentenceStarts } = batch;
  // Views last, as memory may have grown.
  const into = positions.nodes.view;
  const squares = positions.edges.view;
  for (let s = 0; s < batch.sentences.length; s += 1) {
    const first = sentenceStarts[s]!;
    const tokens = sentenceStarts[s + 1]! - first;
    const from = placed.sentenceStarts[s]!;
    into.set(nodes.view.subarray(first * width, (first + tokens) * width), from * width);
    into.fill(0, (from + tokens) * width, placed.sentenceStarts[s + 1]! * width);
    for (let t = 0; t < tokens; t += 1) {
      const slot = edgeSlots[first + t]!;
      if (slot < 0) continue;
      const square = edges.view.subarray(slot * matrixSize, (slot + 1) * matrixSize);
      squares.set(square, positions.edgeSlots[from + t]! * matrixSize);
    }
    for (let k = 0; k < graph.count(s); k += 1) {
      const slot = positions.edgeSlots[from + tokens + k]!;
      // A type that is not in the index has no weights.
      if (slot < 0) continue;
      squares.fill(0, slot * matrixSize, (slot + 1) * matrixSize);
      for (let x = 0; x < labels; x += 1) {
        for (let y = 0; y < labels; y += 1) {
          squares[slot * matrixSize + x * width + y] = graph.nodes[graph.pairAt(s, k, x, y)]!;
        }
      }
    }
  }
  const sums = batch.sentences.length * matrixSize;
  positions.transitions.view.set(lattice.transitions.view.subarray(0, sums));
  return positions;
}
