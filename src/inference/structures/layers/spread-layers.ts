import type { LayerPairs } from '../../../core/layer-pairs.js';
import type { Lattice } from '../../../kernels/lattice.js';

/**
 * Adds up the residuals of sentence `s` at pairs to those at their columns, by the chain rule: in `lattice.columns`,
 * which then has what the parameters are updated by. Needs `fillLayers` of the same batch. Cost O(T P + P^2).
 */
export function spreadLayers(lattice: Lattice, s: number, { first, second }: LayerPairs): void {
  const columns = lattice.columns!;
  const { sentenceStarts } = lattice.batch!;
  const start = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const own = lattice.width;
  const { width, matrixSize } = columns;
  const from = lattice.nodes.view;
  const nodes = columns.nodes.view;
  const sums = columns.transitions.view;
  const base = s * matrixSize;
  nodes.fill(0, start * width, end * width);
  sums.fill(0, base, base + matrixSize);
  for (let t = start; t < end; t += 1) {
    for (let p = 0; p < first.length; p += 1) {
      const residual = from[t * own + p]!;
      if (residual === 0) continue;
      const a = first[p]!;
      const b = second[p]!;
      nodes[t * width + a]! += residual;
      nodes[t * width + b]! += residual;
      sums[base + a * width + b]! += residual;
    }
  }
  const edges = lattice.transitions.view;
  for (let p = 0; p < first.length; p += 1) {
    const a = base + first[p]! * width;
    const b = base + second[p]! * width;
    const row = s * lattice.matrixSize + p * own;
    for (let q = 0; q < first.length; q += 1) {
      const residual = edges[row + q]!;
      if (residual === 0) continue;
      sums[a + first[q]!]! += residual;
      sums[b + second[q]!]! += residual;
    }
  }
}
