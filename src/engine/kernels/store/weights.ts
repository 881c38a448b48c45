import type { ParameterStore } from './parameter-store.js';

/** Exponent of two below which the weights of a model file stay. */
const exponent = 40;

/**
 * Returns whether numbers can be the weights of a model file: finite, and below 2^40. Sums of larger ones, over the tokens
 * of a sentence, would leave no digits for the differences between sequences, even in double precision.
 *
 * @example
 * areWeights(Float32Array.of(-3, 1e12)) // => true
 * areWeights(Float32Array.of(1, 3e38)) // => false
 */
export function areWeights(values: Float32Array): boolean {
  // The bits of the exponent tell. The engine allocates for reals, but not for integers.
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const least = (127 + exponent) << 23;
  for (let i = 0; i < bits.length; i += 1) {
    if ((bits[i]! & 0x7f800000) >= least) return false;
  }
  return true;
}

/**
 * Visits the labels for which a state feature has a nonzero stored weight, with the unscaled
 * weight.
 */
export function eachStateWeight(
  store: ParameterStore,
  row: number,
  visit: (label: number, weight: number) => void,
): void {
  const { statePairs, labels, width } = store;
  const table = store.weights.state.view;
  if (statePairs === undefined) {
    for (let y = 0; y < labels; y += 1) {
      const weight = table[row * width + y]!;
      if (weight !== 0) visit(y, weight);
    }
    return;
  }
  for (let i = statePairs.starts[row]!; i < statePairs.starts[row + 1]!; i += 1) {
    if (table[i] !== 0) visit(statePairs.labels[i]!, table[i]!);
  }
}

/** Visits the nonzero weights of an edge feature (0: the plain transitions), unscaled. */
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

/**
 * Returns the stored weight of a state feature and a label, without the scale; 0 if the pair has
 * none.
 */
export function stateWeight(store: ParameterStore, row: number, label: number): number {
  const place = store.statePlace(row, label);
  return place < 0 ? 0 : store.weights.state.view[place]!;
}
