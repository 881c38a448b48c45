import type { Lattice } from '../kernels/lattice.js';

/**
 * Returns the most probable label of each token from the node marginals of `forwardBackward`; ties
 * go to the lowest. This minimises the expected number of wrong tokens.
 */
export function posteriorDecode(lattice: Lattice, s: number, best: Int32Array): void {
  const batch = lattice.batch!;
  const nodes = lattice.nodes.view;
  for (let t = batch.sentenceStarts[s]!; t < batch.sentenceStarts[s + 1]!; t += 1) {
    const row = t * lattice.width;
    let label = 0;
    for (let y = 1; y < lattice.labels; y += 1) {
      if (nodes[row + y]! > nodes[row + label]!) label = y;
    }
    best[t] = label;
  }
}

/**
 * Returns the allowed sequence with the largest sum of node marginals from `forwardBackward`: of
 * all allowed sequences, it has the fewest expected wrong tokens. Ties go to the lower label,
 * compared from the last token backwards.
 *
 * A score of minus infinity forbids a label or transition; at least one sequence must be allowed.
 * Cost O(T L^2).
 */
export function minimumRiskDecode(lattice: Lattice, s: number, best: Int32Array): void {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const length = batch.sentenceStarts[s + 1]! - first;
  const { labels, width, matrixSize } = lattice;
  const nodes = lattice.nodes.view;
  const emissions = lattice.emissionScores.view;
  const gain = new Float64Array(length * labels);
  const before = new Int32Array(length * labels);
  for (let t = 0; t < length; t += 1) {
    const row = (first + t) * width;
    const slot = t === 0 ? -1 : lattice.edgeSlots[first + t]!;
    const matrix = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const base = slot < 0 ? 0 : slot * matrixSize;
    for (let y = 0; y < labels; y += 1) {
      const at = t * labels + y;
      let most = t === 0 ? 0 : Number.NEGATIVE_INFINITY;
      for (let from = 0; from < labels && t > 0; from += 1) {
        const so = gain[at - y - labels + from]!;
        if (so > most && matrix[base + from * width + y]! !== Number.NEGATIVE_INFINITY) {
          most = so;
          before[at] = from;
        }
      }
      const open = emissions[row + y]! !== Number.NEGATIVE_INFINITY;
      gain[at] = open ? most + nodes[row + y]! : Number.NEGATIVE_INFINITY;
    }
  }
  const last = (length - 1) * labels;
  let label = 0;
  for (let y = 1; y < labels; y += 1) if (gain[last + y]! > gain[last + label]!) label = y;
  for (let t = length - 1; t >= 0; t -= 1) {
    best[first + t] = label;
    label = before[t * labels + label]!;
  }
}
