import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * Returns an edge feature's weight for a label pair; feature 0 is the plain transitions. Cost O(1), or O(the
 * feature's pairs) if only observed pairs are kept.
 *
 * @example
 * edgeWeight(createModel({ templates: 'U:%x[0,0]\nB' }).parameters, 0, 0, 0) // => 0
 */
export function edgeWeight(
  { pairs, weights, width, matrixSize, scale, hasEdgeBlocks }: ParameterStore,
  feature: number,
  from: number,
  to: number,
): number {
  if (feature === 0 || hasEdgeBlocks) {
    return scale * weights.edges.view[feature * matrixSize + from * width + to]!;
  }
  for (let pair = pairs.heads[feature]!; pair >= 0; pair = pairs.next[pair]!) {
    if (pairs.from[pair] === from && pairs.to[pair] === to)
      return scale * weights.pairs.view[pair]!;
  }
  return 0;
}
