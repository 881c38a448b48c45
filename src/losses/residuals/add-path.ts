import { eachSegment } from '../../inference/segments/each-segment.js';
import type { Lattice } from '../../kernels/lattice.js';

/**
 * Adds `amount` times the indicator of a label sequence to the node, edge and transition tables of
 * sentence `s`, and to those of its spans where they are scored: with -1 and the gold labels, expectations become residuals.
 */
export function addPath(lattice: Lattice, s: number, path: Int32Array, amount: number): void {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  const nodes = lattice.nodes.view;
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
  const { segments } = lattice;
  if (segments === undefined) return;
  eachSegment(segments.tables, path, first, end, (kind, last, length) => {
    segments.nodes[segments.at(last, length) + kind]! += amount;
  });
}
