import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { eachEdgeWeight } from '../../kernels/store/weights.js';

/**
 * Transition weights as quadruples: edge feature (0 for the plain transitions), from, to, weight.
 */
export interface EdgeSections {
  readonly features: Uint32Array;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly values: Float32Array;
}

/** A model file's transition weights, with renumbered features. */
export interface WrittenEdges {
  readonly 'edges.keys': Uint32Array;
  readonly 'edges.features': Uint32Array;
  readonly 'edges.from': Uint16Array;
  readonly 'edges.to': Uint16Array;
  readonly 'edges.values': Float32Array;
  [name: string]: Uint32Array | Uint16Array | Float32Array;
}

/**
 * Collects the nonzero transition weights.
 *
 * @param fingerprints fingerprints of the edge features, starting with number 1, lo and hi in turn;
 * absent for a hashed index, whose features keep their numbers
 */
export function writeEdges(
  parameters: ParameterStore,
  fingerprints: Uint32Array | undefined,
): WrittenEdges {
  const features: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  const values: number[] = [];
  const keys: number[] = [];
  let next = 1;
  for (let feature = 0; feature < parameters.edgeRows; feature += 1) {
    const before = values.length;
    const number = feature === 0 || fingerprints === undefined ? feature : next;
    eachEdgeWeight(parameters, feature, (y, z, value) => {
      features.push(number);
      from.push(y);
      to.push(z);
      values.push(value);
    });
    if (feature === 0 || values.length === before || fingerprints === undefined) continue;
    keys.push(fingerprints[(feature - 1) * 2]!, fingerprints[(feature - 1) * 2 + 1]!);
    next += 1;
  }
  return {
    'edges.keys': Uint32Array.from(keys),
    'edges.features': Uint32Array.from(features),
    'edges.from': Uint16Array.from(from),
    'edges.to': Uint16Array.from(to),
    'edges.values': Float32Array.from(values),
  };
}

/** Restores transition weights in a store that has room for their features. */
export function readEdges(parameters: ParameterStore, edges: EdgeSections): void {
  const { width, matrixSize, pairs } = parameters;
  if (!parameters.hasEdgeBlocks) {
    for (let i = 0; i < edges.features.length; i += 1) {
      const feature = edges.features[i]!;
      if (feature > 0) pairs.add(feature, edges.from[i]!, edges.to[i]!);
    }
    parameters.fitPairs();
  }
  const blocks = parameters.weights.edges.view;
  const pairWeights = parameters.weights.pairs.view;
  for (let i = 0; i < edges.features.length; i += 1) {
    const feature = edges.features[i]!;
    const from = edges.from[i]!;
    const to = edges.to[i]!;
    if (feature === 0 || parameters.hasEdgeBlocks) {
      blocks[feature * matrixSize + from * width + to] = edges.values[i]!;
    } else {
      pairWeights[pairs.add(feature, from, to)] = edges.values[i]!;
    }
  }
}
