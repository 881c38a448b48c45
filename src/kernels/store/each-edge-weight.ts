import type { ParameterStore } from './parameter-store.js';

/** Visits the weights of an edge feature (0: the plain transitions) that are not zero, unscaled. */
export function eachEdgeWeight(
  parameters: ParameterStore,
  feature: number,
  visit: (from: number, to: number, value: number) => void,
): void {
  const { labels, width, matrixSize, weights, pairs } = parameters;
  if (feature === 0 || parameters.hasEdgeBlocks) {
    const block = weights.edges.view;
    for (let y = 0; y < labels; y += 1) {
      for (let z = 0; z < labels; z += 1) {
        const value = block[feature * matrixSize + y * width + z]!;
        if (value !== 0) visit(y, z, value);
      }
    }
    return;
  }
  for (let pair = pairs.heads[feature]!; pair >= 0; pair = pairs.next[pair]!) {
    const value = weights.pairs.view[pair]!;
    if (value !== 0) visit(pairs.from[pair]!, pairs.to[pair]!, value);
  }
}
