import type { TagstreamError } from '../../../core/errors.js';
import type { FeatureIndex } from '../../../features/index/feature-index.js';
import type { ParameterStore, TokenScores } from '../../../kernels/store/parameter-store.js';
import { previousLabelOf } from '../../../kernels/store/regression-tree.js';
import { Forest } from '../../../kernels/trees/forest.js';
import { type JoinedTrees, joinTrees, separateTrees } from '../../../kernels/trees/joined-trees.js';
import type { SectionFile, Sections } from '../section-file.js';

const types = {
  starts: 'Uint32Array',
  nodes: 'Uint32Array',
  gains: 'Float32Array',
  sizes: 'Uint32Array',
  labels: 'Uint16Array',
  values: 'Float32Array',
} as const;

/**
 * Returns 1 for each row whose feature trees split on, which a file keeps even without a weight.
 */
export function splittingRows({ forest, stateRows }: ParameterStore): Uint8Array | undefined {
  if (forest === undefined) return undefined;
  const splitting = new Uint8Array(stateRows);
  for (const { nodes } of forest.trees)
    for (const node of nodes) if (splitsOnFeature(node)) splitting[node - 1] = 1;
  return splitting;
}

/** Whether a node splits on a feature: neither a leaf nor a split on the previous label. */
export function splitsOnFeature(node: number): boolean {
  return node > 0 && previousLabelOf(node) < 0;
}

/**
 * Returns the sections of a model file that hold trees, as `JoinedTrees`; a split names its feature by its place in
 * the file, or by its row if the index is hashed.
 *
 * @param rows rows of the file's features, in file order
 */
export function writeTrees(
  { trees }: TokenScores,
  index: FeatureIndex,
  rows: Uint32Array,
): Sections {
  const joined = joinTrees(trees);
  if (index.mode === 'exact') {
    const places = new Uint32Array(index.size);
    for (const [place, row] of rows.entries()) places[row] = place;
    for (const [i, node] of joined.nodes.entries()) {
      if (splitsOnFeature(node)) joined.nodes[i] = places[node - 1]! + 1;
    }
  }
  return namedTrees(joined);
}

/** Returns the sections of trees under their names in the file. */
export function namedTrees(joined: JoinedTrees): Sections {
  return Object.fromEntries(
    Object.keys(types).map(name => [`trees.${name}`, joined[name as keyof JoinedTrees]]),
  );
}

/** Returns the sections of trees in a model file; undefined if there are none. */
export function treeSections(file: SectionFile): JoinedTrees | undefined {
  if (!file.has('trees.starts')) return undefined;
  const sections = Object.entries(types).map(([name, type]) => [
    name,
    file.section(`trees.${name}`, type),
  ]);
  return Object.fromEntries(sections) as JoinedTrees;
}

/**
 * Reads the trees of a model file after validating them; undefined if there are none.
 *
 * @param rows rows of the model's state features
 * @throws the error that `fail` returns for inconsistent sections
 */
export function readTrees(
  file: SectionFile,
  rows: number,
  labels: number,
  fail: (what: string) => TagstreamError,
): Forest | undefined {
  const joined = treeSections(file);
  if (joined === undefined) return undefined;
  const trees = separateTrees(joined, rows, labels);
  if (typeof trees === 'string') throw fail(trees);
  return new Forest(trees, labels);
}
