import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { GraphScores } from '../../kernels/graph/graph-scores.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { atPositions } from '../segments/positions.js';
import { type GraphKernel, graphKernel } from './graph/graph-kernel.js';
import type { Structure } from './structure.js';

/**
 * A graph of tokens: an optional chain, and links between any two tokens. Lafferty et al. (2001);
 * Taskar et al. (2002).
 */
export const graphStructure: Structure = {
  name: 'graph',
  capabilities: ['label losses', 'sequence scores'],
  instead: 'use model: { structure: chain }, or leave it out',
  fill: fillGraph,
  kernel: graphKernel,
  pairs: (kernel, _lattice, _s, sums) => (kernel as GraphKernel).sumPairs(sums),
  spread(lattice, s, { graph }) {
    if (graph!.associative) keepAssociative(lattice, s);
  },
  place(lattice, minibatch) {
    const positions = placeLinks(lattice, minibatch);
    return {
      lattice: positions,
      minibatch: positions.batch!,
      labels: predicted => atPositions(predicted, minibatch, positions.batch!),
    };
  },
};

/**
 * Opens a lattice for a minibatch, scores its tokens and transitions as a chain, and scores its
 * links: a link of type k between tokens i and j scores w_k(y_i, y_j), a square of weights like
 * that of an edge feature; with associative potentials, max(0, w_k(y, y)) for equal labels and 0
 * for others. Cost O(links * labels^2) plus the chain's. Sutton and McCallum (2004); Taskar,
 * Chatalbashev and Koller (2004).
 */
function fillGraph(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  lattice.open(store, batch);
  kernel.score(store, lattice);
  const layout = store.layout.graph!;
  lattice.graph ??= new GraphScores(layout);
  const { graph } = lattice;
  const { labels, width, matrixSize } = lattice;
  graph.open(batch, labels);
  const blocks = store.weights.edges.view;
  for (const [s, { length, edgeStarts, edgeRows }] of batch.sentences.entries()) {
    for (let k = 0; k < graph.count(s); k += 1) {
      const start = graph.at(s, k);
      graph.scores.fill(0, start, start + labels * labels);
      for (let f = edgeStarts![length + k]!; f < edgeStarts![length + k + 1]!; f += 1) {
        const block = edgeRows![f]! * matrixSize;
        for (let x = 0; x < labels; x += 1) {
          for (let y = 0; y < labels; y += 1) {
            const weight = store.scale * blocks[block + x * width + y]!;
            if (!layout.associative) graph.scores[start + x * labels + y]! += weight;
            else if (x === y) graph.scores[start + x * labels + y]! += Math.max(0, weight);
          }
        }
      }
    }
  }
}

/**
 * Clears the residuals of sentence `s` that associative potentials cannot use: pairs of different
 * labels, and updates that would push a weight further below 0, where its potential is already 0.
 * So a weight stays near the feasible range and can return to it (a projected subgradient).
 */
function keepAssociative(lattice: Lattice, s: number): void {
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
 * Writes the token, transition and link residuals of all sentences to the lattice of positions,
 * where links follow the tokens, each link with its type's edge features. Cost O((tokens + links) *
 * labels^2).
 */
function placeLinks(lattice: Lattice, batch: Minibatch): Lattice {
  const { memory, nodes, edges, edgeSlots, labels, width, matrixSize } = lattice;
  lattice.positions ??= new Lattice(memory, nodes.precision, lattice.keepsPairSums);
  const { positions } = lattice;
  const placed = batch.positions!;
  positions.open(lattice, placed);
  const graph = lattice.graph!;
  const { sentenceStarts } = batch;
  // Read views last, because memory may have grown.
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
