import { TagstreamError } from '../../core/errors.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { findFingerprints } from '../../features/index/find-fingerprints.js';
import { eachEdgeWeight } from '../each-edge-weight.js';
import type { LabelSet } from '../labels/label-set.js';
import type { Model } from '../model.js';
import { requireSameFeatures } from './require-same-features.js';

/** What a model has taken over from another. */
export interface TakenWeights {
  /** Weights of the other model that are not zero. */
  readonly offered: number;
  /** Those of them that have a place in the model, and are its weights now. */
  readonly taken: number;
}

/**
 * Begins training with the weights of another model: features are matched by their fingerprints, labels by
 * their names. A weight for which the other model has nothing stays as it is; one of the other's that has no
 * place here is left out.
 *
 * To be called when the model has its features and labels, before anything is learned. Cost: a lookup a
 * feature of the other model, and O(its weights).
 *
 * @throws TagstreamError `config` where templates, columns or index are others
 */
export function takeWeights(model: Model, start: Model): TakenWeights {
  requireSameFeatures(model.spec, start.spec);
  const { parameters } = model;
  if (parameters.scale !== 1 || parameters.version !== 0) throw tooLate();
  model.reserve();
  start.reserve();
  const labels = columnsIn(model.labels, start.labels);
  const state = rowsIn(model.stateIndex, start.stateIndex);
  const edges = rowsIn(model.edgeIndex, start.edgeIndex);
  const counts = { offered: 0, taken: 0 };
  takeState(model, start, { rows: state, labels, counts });
  takeEdges(model, start, { rows: edges, labels, counts });
  return counts;
}

/** What of the other model is what here: row by row and label by label, -1 where it is nothing. */
interface Matching {
  readonly rows: Int32Array;
  readonly labels: Int32Array;
  readonly counts: { offered: number; taken: number };
}

function takeState(model: Model, start: Model, { rows, labels, counts }: Matching): void {
  const { parameters } = model;
  const from = start.parameters;
  const table = parameters.weights.state.view;
  const support = parameters.support?.state;
  const source = from.weights.state.view;
  for (let row = 0; row < rows.length; row += 1) {
    for (let y = 0; y < labels.length; y += 1) {
      const weight = source[row * from.width + y]!;
      if (weight === 0) continue;
      counts.offered += 1;
      if (rows[row]! < 0 || labels[y]! < 0) continue;
      const at = rows[row]! * parameters.width + labels[y]!;
      if (support !== undefined && support[at] === 0) continue;
      table[at] = weight * from.scale;
      counts.taken += 1;
    }
  }
}

function takeEdges(model: Model, start: Model, { rows, labels, counts }: Matching): void {
  const from = start.parameters;
  for (let feature = 0; feature < from.edgeRows; feature += 1) {
    // Feature 0 is the plain transitions, everywhere.
    const row = feature === 0 ? 0 : rows[feature - 1]! + 1;
    const known = feature === 0 || row > 0;
    eachEdgeWeight(from, feature, (y, z, weight) => {
      counts.offered += 1;
      const pair = [labels[y]!, labels[z]!] as const;
      if (!known || pair[0] < 0 || pair[1] < 0) return;
      if (putEdge(model, row, pair, weight * from.scale)) counts.taken += 1;
    });
  }
}

/** Whether the weight has a place. */
function putEdge(
  { parameters }: Model,
  row: number,
  [from, to]: readonly [number, number],
  weight: number,
): boolean {
  const { width, matrixSize, weights, support, pairs, layout } = parameters;
  if (row === 0 || parameters.hasEdgeBlocks) {
    const at = from * width + to;
    if (row === 0 && (!layout.transitions || support?.transitions[at] === 0)) return false;
    weights.edges.view[row * matrixSize + at] = weight;
    return true;
  }
  for (let slot = pairs.heads[row]!; slot >= 0; slot = pairs.next[slot]!) {
    if (pairs.from[slot] !== from || pairs.to[slot] !== to) continue;
    weights.pairs.view[slot] = weight;
    return true;
  }
  return false;
}

/** For each column of the other's labels that of the same label, state or layer; -1 where there is none. */
function columnsIn(labels: LabelSet, { columnNames }: LabelSet): Int32Array {
  const columns = new Map(labels.columnNames.map((name, column) => [name, column]));
  return Int32Array.from(columnNames, name => columns.get(name) ?? -1);
}

/** For each row of the other's index that of the same feature; rows of hashed ones are the same. */
function rowsIn(index: FeatureIndex, other: FeatureIndex): Int32Array {
  if (other instanceof ExactIndex) return findFingerprints(index, other.fingerprints());
  return Int32Array.from({ length: other.size }, (_, row) => row);
}

function tooLate(): TagstreamError {
  return new TagstreamError('stage', 'the model has been trained already', {
    fix: 'take weights over before the first update',
  });
}
