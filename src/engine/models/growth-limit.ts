import type { ParameterStore } from '../kernels/store/parameter-store.js';

/** Limits the growth of a model on a stream with an unbounded vocabulary. */
export interface GrowthLimit {
  /** Maximum number of state features, and maximum number of edge features. */
  readonly features: number;
  /** Maximum size of all features in bytes, in the index and in all planes of the parameters. */
  readonly bytes: number;
}

/** The default for streams: 2^21 features, 1 GiB. */
export const defaultGrowthLimit: GrowthLimit = { features: 2 ** 21, bytes: 2 ** 30 };

/**
 * Bytes per feature in addition to its numbers: an index entry, at a load factor of at least a third, and its
 * age.
 */
const indexBytes = 64;

/** Factor by which late labels may exceed the byte limit before they are refused. */
const labelAllowance = 3;

/** Maximum number of features of each kind. */
export interface MostFeatures {
  readonly state: number;
  readonly edges: number;
}

/**
 * Returns the maximum numbers of features within a limit, for a store's current labels and planes.
 *
 * @param hasEdges whether there are edge features, which then share the bytes
 * @example
 * const { parameters } = createModel({ templates: 'U:%x[0,0]' });
 * mostFeatures({ features: 1000, bytes: 2 ** 20 }, parameters, false) // => ({ state: 1000, edges: 0 })
 * mostFeatures({ features: 9000, bytes: 2 ** 17 }, parameters, false) // => ({ state: 1638, edges: 0 })
 */
export function mostFeatures(
  { features, bytes }: GrowthLimit,
  store: ParameterStore,
  hasEdges: boolean,
): MostFeatures {
  const number = bytesOfNumbers(store);
  const share = hasEdges ? bytes / 2 : bytes;
  const most = (numbers: number, least: number) =>
    Math.max(least, Math.min(features, Math.floor(share / (number * numbers + indexBytes))));
  if (!hasEdges) return { state: most(store.width, 1), edges: 0 };
  // Twice this number must still fit into the block budget; see `ParameterStore.mostEdgeRows`.
  const blocks = Math.floor(store.mostEdgeRows(store.labelCapacity) / 2) - 1;
  const edges = Math.max(0, Math.min(most(store.matrixSize, 0), blocks));
  return { state: most(store.width, 1), edges };
}

/** Returns whether a number of labels fits with the current features. */
export function labelsFit({ bytes }: GrowthLimit, store: ParameterStore, labels: number): boolean {
  const capacity = store.capacityFor(labels);
  if (capacity === store.labelCapacity) return true;
  const blocks = store.hasEdgeBlocks ? store.edgeRows : 1;
  const numbers = capacity * (store.stateRows + blocks * capacity);
  const fits = numbers * bytesOfNumbers(store) <= labelAllowance * bytes;
  return fits && (blocks <= 1 || blocks <= store.mostEdgeRows(capacity));
}

function bytesOfNumbers({ precision, planes }: ParameterStore): number {
  return (precision === 'float64' ? 8 : 4) * planes.length;
}
