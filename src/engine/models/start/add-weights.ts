import { type FeatureIndex, findFingerprints } from '../../features/index/feature-index.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { eachEdgeWeight, eachStateWeight } from '../../kernels/store/weights.js';
import type { LabelSet } from '../labels/label-set.js';
import type { Model } from '../model.js';

/** Counts of weights copied from another model. */
export interface TakenWeights {
  /** Number of nonzero weights of the other model. */
  readonly offered: number;
  /** Number of those that have a place in this model and were copied. */
  readonly taken: number;
}

/** Options for adding the weights of another model. */
export interface AddedWeights {
  /** Factor by which the weights are multiplied. Default 1. */
  readonly factor?: number;
  /** Parameters to add to, which replace the model's own. Their scale is 1. */
  readonly into?: ParameterStore;
  /** Whether the weights replace existing ones instead of being added. Default false. */
  readonly replace?: boolean;
}

/**
 * Adds another model's weights to those of the same features and labels: features are matched by fingerprint,
 * labels by name. Weights without a place in this model are skipped.
 *
 * Both models must have room for everything they know. Cost: one lookup per feature of the other model, plus
 * O(its weights).
 */
export function addWeights(model: Model, start: Model, added: AddedWeights = {}): TakenWeights {
  const adding: Adding = {
    into: added.into ?? model.parameters,
    from: start.parameters,
    factor: start.parameters.scale * (added.factor ?? 1),
    replace: added.replace === true,
    labels: columnsIn(model.labels, start.labels),
    counts: { offered: 0, taken: 0 },
  };
  addState(adding, rowsIn(model.stateIndex, start.stateIndex));
  addEdges(adding, rowsIn(model.edgeIndex, start.edgeIndex));
  return adding.counts;
}

interface Adding {
  readonly into: ParameterStore;
  readonly from: ParameterStore;
  readonly factor: number;
  readonly replace: boolean;
  /** This model's number for each label of the other model, -1 if it has none. */
  readonly labels: Int32Array;
  readonly counts: { offered: number; taken: number };
}

/** Maps each column of the other model to the column of the same label, state or layer; -1 if there is none. */
export function columnsIn(labels: LabelSet, { columnNames }: LabelSet): Int32Array {
  const columns = new Map(labels.columnNames.map((name, column) => [name, column]));
  return Int32Array.from(columnNames, name => columns.get(name) ?? -1);
}

/**
 * Maps each row of the other index to the row of the same feature, or -1; hashed rows are the same.
 */
export function rowsIn(index: FeatureIndex, other: FeatureIndex): Int32Array {
  if (canGrow(other)) return findFingerprints(index, other.fingerprints());
  return Int32Array.from({ length: other.size }, (_, row) => row);
}

function addState({ into, from, factor, replace, labels, counts }: Adding, rows: Int32Array): void {
  const table = into.weights.state.view;
  const support = into.statePairs === undefined ? into.support?.state : undefined;
  for (let row = 0; row < rows.length; row += 1) {
    eachStateWeight(from, row, (y, weight) => {
      counts.offered += 1;
      if (rows[row]! < 0 || labels[y]! < 0) return;
      const at = into.statePlace(rows[row]!, labels[y]!);
      if (at < 0 || support?.[at] === 0) return;
      table[at] = (replace ? 0 : table[at]!) + weight * factor;
      counts.taken += 1;
    });
  }
}

function addEdges({ into, from, factor, replace, labels, counts }: Adding, rows: Int32Array): void {
  for (let feature = 0; feature < from.edgeRows; feature += 1) {
    // Feature 0 is always the plain transitions.
    const row = feature === 0 ? 0 : rows[feature - 1]! + 1;
    const known = feature === 0 || row > 0;
    eachEdgeWeight(from, feature, (y, z, weight) => {
      counts.offered += 1;
      const pair = [labels[y]!, labels[z]!] as const;
      if (!known || pair[0] < 0 || pair[1] < 0) return;
      const at = edgePlace(into, row, pair);
      if (at === undefined) return;
      const { view } = row === 0 || into.hasEdgeBlocks ? into.weights.edges : into.weights.pairs;
      view[at] = (replace ? 0 : view[at]!) + weight * factor;
      counts.taken += 1;
    });
  }
}

/** Returns the index of a weight among those of blocks or of pairs; undefined if it has none. */
function edgePlace(
  parameters: ParameterStore,
  row: number,
  [from, to]: readonly [number, number],
): number | undefined {
  const { width, matrixSize, support, pairs, layout } = parameters;
  if (row === 0 || parameters.hasEdgeBlocks) {
    const at = from * width + to;
    if (row === 0 && (!layout.transitions || support?.transitions[at] === 0)) return undefined;
    return row * matrixSize + at;
  }
  for (let slot = pairs.heads[row]!; slot >= 0; slot = pairs.next[slot]!) {
    if (pairs.from[slot] === from && pairs.to[slot] === to) return slot;
  }
  return undefined;
}

/**
 * Gives a model's features weights for the labels and label pairs for which another model has weights; the model
 * must know all features and labels of the other. Does nothing if all pairs may have weights.
 */
export function observeWeights(model: Model, start: Model): void {
  const { parameters } = model;
  if (parameters.layout.support === 'all') return;
  const { edgeRows } = start.parameters;
  const numbers = columnsIn(model.labels, start.labels);
  const rows = rowsIn(model.stateIndex, start.stateIndex);
  const edges = rowsIn(model.edgeIndex, start.edgeIndex);
  for (let row = 0; row < rows.length; row += 1) {
    eachStateWeight(start.parameters, row, y => parameters.observeState(rows[row]!, numbers[y]!));
  }
  for (let feature = 0; feature < edgeRows; feature += 1) {
    const row = feature === 0 ? 0 : edges[feature - 1]! + 1;
    eachEdgeWeight(start.parameters, feature, (from, to) => {
      parameters.observeEdge(row, numbers[from]!, numbers[to]!);
    });
  }
  parameters.fitPairs();
}
