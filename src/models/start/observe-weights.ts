import { eachEdgeWeight } from '../../kernels/store/each-edge-weight.js';
import { eachStateWeight } from '../../kernels/store/each-state-weight.js';
import type { Model } from '../model.js';
import { columnsIn, rowsIn } from './add-weights.js';

/**
 * Lets features of a model have weights for the labels and pairs of labels for which another model has some; the model
 * knows all features and labels of the other one. A no-op where all pairs may have weights.
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
