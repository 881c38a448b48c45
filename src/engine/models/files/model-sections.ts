import type { TagstreamError } from '../../core/errors.js';
import { scorerOf } from '../../inference/scorers/scorers.js';
import { areWeights } from '../../kernels/store/weights.js';
import { keyBitsOf, readCompact, type StateSections } from './compact/compact-sections.js';
import type { EdgeSections } from './edge-sections.js';
import type { ModelHeader } from './model-header.js';
import type { SectionFile } from './section-file.js';

/** Sections of a model file, with consistent lengths. */
export interface ModelSections {
  /** Fingerprints of the state features, lo and hi in turn; for a hashed index, their rows. */
  readonly keys: Uint32Array;
  readonly masks: Uint8Array;
  readonly values: Float32Array;
  /** Fingerprints of the edge features; empty for a hashed index. */
  readonly edgeKeys: Uint32Array;
  readonly edges: EdgeSections;
}

/**
 * Reads a model's sections from its file after checking that they are consistent. So code that
 * builds the model from them never meets an index out of range.
 *
 * Allocates at most the file's size, and briefly twice that.
 *
 * @throws the error that `fail` returns for inconsistent sections
 */
export function readModelSections(
  file: SectionFile,
  header: ModelHeader,
  fail: (what: string) => TagstreamError,
): ModelSections {
  const sections = {
    ...stateOf(file, header, fail),
    ...edgesOf(file),
  };
  const problem = stateProblem(sections, header) ?? edgeProblem(sections, header);
  if (problem !== undefined) throw fail(problem);
  return sections;
}

/**
 * Reads only the sections of transitions.
 *
 * @throws the error that `fail` returns for inconsistent sections
 */
export function readEdgeSections(
  file: SectionFile,
  header: ModelHeader,
  fail: (what: string) => TagstreamError,
): Pick<ModelSections, 'edgeKeys' | 'edges'> {
  const sections = edgesOf(file);
  const problem = edgeProblem(sections, header);
  if (problem !== undefined) throw fail(problem);
  return sections;
}

function stateOf(
  file: SectionFile,
  { compact, labels, spec }: ModelHeader,
  fail: (what: string) => TagstreamError,
): StateSections {
  if (compact === undefined) {
    return {
      keys: file.section('state.keys', 'Uint32Array'),
      masks: file.section('state.masks', 'Uint8Array'),
      values: file.section('state.values', 'Float32Array'),
    };
  }
  if ((keyBitsOf(compact) === undefined) !== (spec.index.mode === 'hashed')) {
    throw fail('its features belong to another index');
  }
  const state = readCompact(file, compact, labels.length);
  if (state === undefined) throw fail('its features or their weights are invalid');
  return state;
}

function edgesOf(file: SectionFile): Pick<ModelSections, 'edgeKeys' | 'edges'> {
  return {
    edgeKeys: file.section('edges.keys', 'Uint32Array'),
    edges: {
      features: file.section('edges.features', 'Uint32Array'),
      from: file.section('edges.from', 'Uint16Array'),
      to: file.section('edges.to', 'Uint16Array'),
      values: file.section('edges.values', 'Float32Array'),
    },
  };
}

function stateProblem(
  { keys, masks, values, edges }: ModelSections,
  { spec, labels, stateFeatures, nonZeroWeights }: ModelHeader,
): string | undefined {
  const { index } = spec;
  const rows = index.mode === 'exact' ? keys.length / 2 : keys.length;
  if (rows !== stateFeatures) return `it has ${rows} features of ${stateFeatures}`;
  const weights = values.length + edges.values.length;
  if (weights !== nonZeroWeights) return `it has ${weights} weights of ${nonZeroWeights}`;
  const maskBytes = Math.ceil(labels.length / 8);
  if (masks.length !== rows * maskBytes) return 'not each feature says which labels it has';
  const canBeEmpty = scorerOf(spec.scorer).needsNoWeights === true;
  if (!countsTo(masks, maskBytes, labels.length, values.length, canBeEmpty)) {
    return 'the weights are not those that the features name';
  }
  if (!areWeights(values)) return 'a weight is too large or not finite';
  if (index.mode === 'exact') return repeatsKey(keys) ? 'a feature comes twice' : undefined;
  for (let i = 0; i < keys.length; i += 1) {
    if (keys[i]! >= index.rows || (i > 0 && keys[i]! <= keys[i - 1]!)) return 'a row is wrong';
  }
  return undefined;
}

/** Number of bits set in each byte value. */
export const bitsOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  let bits = 0;
  for (let rest = byte; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
});

/**
 * Whether each mask has a bit set (unless there may be features that only trees split on), no mask has one beyond
 * the labels, and all masks have `values` bits set in total.
 */
function countsTo(
  masks: Uint8Array,
  maskBytes: number,
  labels: number,
  values: number,
  canBeEmpty: boolean,
): boolean {
  const unused = maskBytes * 8 - labels;
  let bits = 0;
  for (let row = 0; row < masks.length; row += maskBytes) {
    const before = bits;
    for (let i = row; i < row + maskBytes; i += 1) {
      bits += bitsOf[masks[i]!]!;
    }
    if ((bits === before && !canBeEmpty) || masks[row + maskBytes - 1]! >> (8 - unused) !== 0)
      return false;
  }
  return bits === values;
}

function edgeProblem(
  { edgeKeys, edges }: Pick<ModelSections, 'edgeKeys' | 'edges'>,
  { spec, labels }: ModelHeader,
): string | undefined {
  const { features, from, to, values } = edges;
  const { length } = features;
  if (from.length !== length || to.length !== length || values.length !== length) {
    return 'its transitions are not complete';
  }
  if (spec.index.mode === 'hashed' && edgeKeys.length > 0) return 'it has unknown keys';
  if (edgeKeys.length % 2 !== 0 || repeatsKey(edgeKeys)) return 'a feature of transitions is wrong';
  const most = spec.index.mode === 'hashed' ? spec.index.edgeRows : edgeKeys.length / 2;
  for (let i = 0; i < length; i += 1) {
    const feature = features[i]!;
    if (feature > most || (i > 0 && feature < features[i - 1]!)) return 'a transition is wrong';
    if (from[i]! >= labels.length || to[i]! >= labels.length) return 'a transition has no label';
  }
  return areWeights(values) ? undefined : 'a weight is too large or not finite';
}

/**
 * Returns whether a fingerprint occurs twice, or is 0, which means no fingerprint. Takes 5 to 11 bytes of
 * scratch per key; cost O(keys).
 *
 * @param keys lo and hi in turn
 * @example
 * repeatsKey(Uint32Array.of(1, 2, 3, 4, 1, 2)) // => true
 * repeatsKey(Uint32Array.of(1, 2, 2, 1)) // => false
 */
export function repeatsKey(keys: Uint32Array): boolean {
  const count = keys.length / 2;
  const places = 2 ** Math.ceil(Math.log2(count * 1.25 + 1));
  const mask = places - 1;
  // Key numbers, from 1, by hash with linear probing.
  const table = new Uint32Array(places);
  for (let i = 0; i < count; i += 1) {
    const lo = keys[i * 2]!;
    const hi = keys[i * 2 + 1]!;
    if (lo === 0 && hi === 0) return true;
    let at = Math.imul(lo ^ Math.imul(hi, 0x85ebca6b), 0x9e3779b1) >>> 0;
    for (at = (at ^ (at >>> 15)) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const other = (table[at]! - 1) * 2;
      if (keys[other] === lo && keys[other + 1] === hi) return true;
    }
    table[at] = i + 1;
  }
  return false;
}
