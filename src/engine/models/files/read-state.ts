import type { TagstreamError } from '../../core/errors.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import { PackedIndex } from '../../features/index/packed-index.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { joinedKeys, readVoterSections, type VoterSections } from './added/voter-sections.js';
import { keyBitsOf, packedSections } from './compact/compact-sections.js';
import { placeRows, placeSharedPairs, tooFew } from './compact/shared-rows.js';
import { pairsOfMasks, placePairs } from './compact/stored-pairs.js';
import type { EdgeSections } from './edge-sections.js';
import type { ModelHeader } from './model-header.js';
import { readEdgeSections, readModelSections } from './model-sections.js';
import type { SectionFile } from './section-file.js';
import { fromSparseRows } from './sparse-rows.js';

/** Features and weights of a model file, before an index and a store exist for them. */
export interface ReadState {
  /** Number of rows of the state features. */
  readonly rows: number;
  readonly edgeKeys: Uint32Array;
  readonly edges: EdgeSections;
  readonly voters: VoterSections | undefined;
  /**
   * Builds the index of the state features in a memory; returns undefined if they cannot share
   * rows.
   */
  index(memory: LinearMemory): FeatureIndex | undefined;
  /** Writes the state features' weights to a store with room for them. */
  place(parameters: ParameterStore): void;
}

type Fail = (what: string) => TagstreamError;

/**
 * Reads features with a separate row each.
 *
 * @throws the error that `fail` returns for inconsistent sections
 */
export function readOwnState(file: SectionFile, header: ModelHeader, fail: Fail): ReadState {
  const own = readModelSections(file, header, fail);
  const { masks, values, edges } = own;
  const voters = readVoterSections(file, header, own, fail);
  const keys = voters === undefined ? own.keys : joinedKeys(own.keys, voters.keys);
  const edgeKeys = voters === undefined ? own.edgeKeys : joinedKeys(own.edgeKeys, voters.edgeKeys);
  const { index } = header.spec;
  const exact = index.mode === 'exact';
  return {
    rows: exact ? keys.length / 2 : index.rows,
    ...{ edgeKeys, edges, voters },
    index: memory => (exact ? ExactIndex.of(keys, memory) : new HashedIndex(index.rows, memory)),
    place(parameters) {
      const target = (i: number) => (exact ? i : keys[i]!);
      const { statePairs, stateRows, width } = parameters;
      if (statePairs !== undefined) {
        placePairs(
          parameters,
          pairsOfMasks({ masks, values }, header.labels.length, stateRows, target),
        );
        return;
      }
      const { weights } = parameters;
      fromSparseRows({ masks, values }, header.labels.length, weights.state.view, width, target);
    },
  };
}

/**
 * Reads the features of a compact file with an exact index; features with equal weights share a row.
 *
 * @throws the error that `fail` returns for inconsistent sections, some of which only `index` and
 * `place` detect
 */
export function readSharedState(file: SectionFile, header: ModelHeader, fail: Fail): ReadState {
  const { labels, stateFeatures } = header;
  const compact = header.compact!;
  if (keyBitsOf(compact) === undefined) throw fail('its features belong to another index');
  const { entries, shared } = packedSections(file, compact);
  const { count } = entries;
  if (count !== stateFeatures) throw fail(`it has ${count} of ${stateFeatures} features`);
  if (tooFew(shared, count)) throw fail('its weights are incomplete');
  return {
    rows: shared.count,
    ...readEdgeSections(file, header, fail),
    voters: undefined,
    index: memory => PackedIndex.of(entries, memory),
    place(parameters) {
      const { unit } = compact;
      const isWhole =
        parameters.statePairs === undefined
          ? placeRows(shared, labels.length, unit, parameters.weights.state)
          : placeSharedPairs(shared, labels.length, unit, parameters);
      if (!isWhole) throw fail('its weights are incomplete');
    },
  };
}
