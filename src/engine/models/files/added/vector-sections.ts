import type { TagstreamError } from '../../../core/errors.js';
import type { FeatureIndex } from '../../../features/index/feature-index.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { areWeights } from '../../../kernels/store/weights.js';
import { type SupportTokens, SupportVectors } from '../../../kernels/vectors/support-vectors.js';
import type { ModelHeader } from '../model-header.js';
import type { SectionFile, Sections } from '../section-file.js';

const types = {
  starts: 'Uint32Array',
  rows: 'Uint32Array',
  labelStarts: 'Uint32Array',
  labels: 'Uint16Array',
  weights: 'Float32Array',
} as const;

/** Returns the support vectors of parameters; undefined if there are none. */
export function vectorsOf({ vectors }: ParameterStore): SupportVectors | undefined {
  return vectors instanceof SupportVectors ? vectors : undefined;
}

/**
 * Returns 1 for each row that a file keeps for support vectors even without a weight: rows of features that occur
 * in them, or all rows if the kernel function depends on a token's number of features.
 */
export function supportingRows(store: ParameterStore): Uint8Array | undefined {
  const vectors = vectorsOf(store);
  if (vectors === undefined) return undefined;
  const supporting = new Uint8Array(store.stateRows);
  if ('rbf' in vectors.similarity) return supporting.fill(1);
  for (const row of vectors.tokens.rows) supporting[row] = 1;
  return supporting;
}

/**
 * Returns the sections of a model file that hold support vectors, as `SupportTokens`; features are named by their
 * places in the file, or by their rows if the index is hashed.
 *
 * @param rows rows of the file's features, in file order
 */
export function writeVectors(
  { tokens }: SupportVectors,
  index: FeatureIndex,
  rows: Uint32Array,
): Sections {
  if (index.mode === 'hashed') return namedVectors(tokens);
  const places = new Uint32Array(index.size);
  for (const [place, row] of rows.entries()) places[row] = place;
  return namedVectors({ ...tokens, rows: tokens.rows.map(row => places[row]!) });
}

/** Returns the sections of support vectors under their names in the file. */
export function namedVectors(tokens: SupportTokens): Sections {
  return Object.fromEntries(
    Object.keys(types).map(name => [`vectors.${name}`, tokens[name as keyof SupportTokens]]),
  );
}

/** Returns the sections of support vectors in a model file; undefined if there are none. */
export function vectorSections(file: SectionFile): SupportTokens | undefined {
  if (!file.has('vectors.starts')) return undefined;
  const sections = Object.entries(types).map(([name, type]) => [
    name,
    file.section(`vectors.${name}`, type),
  ]);
  return Object.fromEntries(sections) as SupportTokens;
}

/**
 * Reads the support vectors of a model file after validating them; undefined if there are none.
 *
 * @param rows rows of the model's state features
 * @throws the error that `fail` returns for inconsistent sections
 */
export function readVectors(
  file: SectionFile,
  { similarity, labels }: Pick<ModelHeader, 'similarity' | 'labels'>,
  rows: number,
  fail: (what: string) => TagstreamError,
): SupportVectors | undefined {
  const tokens = vectorSections(file);
  if ((tokens === undefined) !== (similarity === undefined)) {
    throw fail('it has only one of support vectors and their kernel function');
  }
  if (tokens === undefined) return undefined;
  const { starts, labelStarts, weights } = tokens;
  const isWhole =
    starts.length === labelStarts.length &&
    isDivision(starts, tokens.rows.length) &&
    isDivision(labelStarts, weights.length) &&
    tokens.labels.length === weights.length;
  if (!isWhole) throw fail('its support vectors are incomplete');
  if (tokens.rows.some(row => row >= rows)) throw fail('a support vector names an unknown feature');
  if (tokens.labels.some(y => y >= labels.length))
    throw fail('a support vector names an unknown label');
  if (!areWeights(weights))
    throw fail('a weight of its support vectors is too large or not finite');
  return new SupportVectors(similarity!, tokens, labels.length);
}

/** Whether these are ascending offsets of parts that extend from 0 to the end. */
function isDivision(starts: Uint32Array, end: number): boolean {
  return (
    starts[0] === 0 && starts.at(-1) === end && starts.every((at, i) => !(at < starts[i - 1]!))
  );
}
