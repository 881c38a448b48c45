import { stateArray, wrongState } from '../../../core/training/read-state.js';
import type { State } from '../../../core/training/state.js';
import type { RegressionTree } from '../../../kernels/store/regression-tree.js';
import { joinTrees, separateTrees } from '../../../kernels/trees/joined-trees.js';

/** Trees as arrays of a state. */
export function savedTrees(trees: readonly RegressionTree[]): State['arrays'] {
  const { starts, nodes, gains, sizes, labels, values } = joinTrees(trees);
  return {
    ...{ 'trees.starts': starts, 'trees.nodes': nodes, 'trees.gains': gains },
    ...{ 'trees.sizes': sizes, 'trees.labels': Uint32Array.from(labels), 'trees.values': values },
  };
}

/**
 * The trees of a state.
 *
 * @param rows rows of the state features
 * @param labels labels of the model
 * @throws TagstreamError `checkpoint` where they are none
 */
export function treesOf(state: State, rows: number, labels: number): readonly RegressionTree[] {
  const trees = separateTrees(
    {
      starts: stateArray(state, 'trees.starts', [Uint32Array]),
      nodes: stateArray(state, 'trees.nodes', [Uint32Array]),
      gains: stateArray(state, 'trees.gains', [Float32Array]),
      sizes: stateArray(state, 'trees.sizes', [Uint32Array]),
      labels: Uint16Array.from(stateArray(state, 'trees.labels', [Uint32Array])),
      values: stateArray(state, 'trees.values', [Float32Array]),
    },
    rows,
    labels,
  );
  if (typeof trees === 'string') throw wrongState(trees);
  return trees;
}
