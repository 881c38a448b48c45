import type { Precision } from '../../core/arrays.js';
import type { LinearMemory } from './linear-memory.js';
import { RealTable } from './real-table.js';

/**
 * One number for every parameter: the weights, or an optimizer's state (penalty received, running
 * sums). All planes of a store have the same rows.
 *
 * - `state`: a row of labels for each state feature, or a number for each pair; see `StatePairs`.
 * - `edges`: a label-by-label block (rows: from, lanes: to) for each edge feature; block 0 holds the
 *   plain transitions.
 * - `pairs`: single numbers for the label pairs of edge features, if only observed pairs are kept.
 */
export interface Plane {
  readonly state: RealTable;
  readonly edges: RealTable;
  readonly pairs: RealTable;
}

/** Offsets and row counts of a plane's tables. */
export interface PlanePlaces {
  readonly state: TablePlace;
  readonly edges: TablePlace;
  readonly pairs: TablePlace;
}

/** Offset and row count of a table. */
export interface TablePlace {
  readonly offset: number;
  readonly rows: number;
}

/**
 * Returns an empty plane with rows of `width` lanes.
 *
 * @param stateWidth number of lanes per row of state weights: 1 if each weight has its own place
 */
export function createPlane(
  memory: LinearMemory,
  width: number,
  precision: Precision,
  stateWidth = width,
): Plane {
  return {
    state: new RealTable(memory, stateWidth, precision),
    edges: new RealTable(memory, width, precision),
    pairs: new RealTable(memory, 1, precision),
  };
}

/** Sets all numbers of a plane to 0. */
export function clearPlane({ state, edges, pairs }: Plane): void {
  for (const table of [state, edges, pairs]) table.view.fill(0);
}

/** Rounds every number of a plane to float32 in place, the precision of model files. */
export function roundToFloat32(plane: Plane): void {
  for (const table of [plane.state, plane.edges, plane.pairs]) {
    const numbers = table.view;
    if (numbers instanceof Float32Array) continue;
    for (let i = 0; i < numbers.length; i += 1) numbers[i] = Math.fround(numbers[i]!);
  }
}
