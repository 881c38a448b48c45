import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Objective } from '../objective.js';
import type { WeightBlock } from './weight-block.js';

/** A block during a visit: where its weights stand among those of the visit, and where in tables. */
export interface VisitBlock {
  readonly block: WeightBlock;
  /** Its weights are `[from, end)` of the visit's. */
  readonly from: number;
  readonly end: number;
  /** For each weight, its place in the table of its kind. */
  readonly places: Uint32Array;
  /** For each weight, its lane in a row or matrix of residuals. */
  readonly cells: Uint32Array;
}

/** Lays the weights of some blocks one after the other. Cost O(weights). */
export function visitBlocks(objective: Objective, blocks: readonly WeightBlock[]): VisitBlock[] {
  let from = 0;
  return blocks.map(block => {
    const size = block.at.length;
    const laid = { block, from, end: from + size, ...placesOf(objective, block) };
    from += size;
    return laid;
  });
}

function placesOf({ free, parameters }: Objective, { kind, row, at }: WeightBlock) {
  const places = new Uint32Array(at.length);
  const cells = new Uint32Array(at.length);
  const pairsFrom = free.transitionsFrom + free.edges.length;
  for (let k = 0; k < at.length; k += 1) {
    const i = at[k]!;
    if (kind === 'state') {
      places[k] = free.state[i]!;
      cells[k] = places[k]! - row * parameters.width;
    } else if (i < pairsFrom) {
      places[k] = free.edges[i - free.transitionsFrom]!;
      cells[k] = places[k]! - row * parameters.matrixSize;
    } else {
      const slot = i - pairsFrom;
      places[k] = slot;
      cells[k] = parameters.pairs.from[slot]! * parameters.width + parameters.pairs.to[slot]!;
    }
  }
  return { places, cells };
}

/** The table of weights that a block is in. */
export function tableOf({ weights, hasEdgeBlocks }: ParameterStore, kind: WeightBlock['kind']) {
  if (kind === 'state') return weights.state.view;
  return kind === 'edge' && !hasEdgeBlocks ? weights.pairs.view : weights.edges.view;
}
