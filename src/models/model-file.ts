import { TagstreamError } from '../core/errors.js';
import { joined } from '../core/joined.js';
import { ExactIndex } from '../features/exact-index.js';
import type { FeatureIndex } from '../features/feature-index.js';
import { HashedIndex } from '../features/hashed-index.js';
import { parseTemplates } from '../features/template/parse-templates.js';
import type { Kernel } from '../kernels/kernel.js';
import { LinearMemory } from '../kernels/linear-memory.js';
import { ParameterStore } from '../kernels/parameter-store.js';
import { readEdges, writeEdges } from './edge-sections.js';
import { defaultKernel } from './kernels.js';
import { LabelSet } from './label-set.js';
import type { Learner } from './learner.js';
import { Model } from './model.js';
import { type ModelHeader, modelFormatVersion } from './model-header.js';
import { readSections, type Sections, writeSections } from './section-file.js';
import { fromSparseRows, toSparseRows } from './sparse-rows.js';

/**
 * The model file of a learner: the deployed weights that are not zero, as float32.
 *
 * Fingerprints stand for the features; names are not kept. The same learner gives the same bytes.
 */
export function writeModel(learner: Learner): Uint8Array {
  return joined(modelPieces(learner));
}

/** The same in pieces, to be written one after the other: large models need not be held twice. */
export function modelPieces(learner: Learner): readonly Uint8Array[] {
  const deployed = learner.deployedParameters();
  const table = deployed.weights.state.view;
  // The copy is nobody else's, so that the numbers can be moved together in their place.
  return parameterPieces(
    learner.model,
    deployed,
    table instanceof Float32Array ? table : undefined,
  );
}

/** The model file of a model with the weights of `parameters`, which has the same rows. */
export function writeParameters(model: Model, parameters: ParameterStore): Uint8Array {
  return joined(parameterPieces(model, parameters));
}

function parameterPieces(
  model: Model,
  parameters: ParameterStore,
  into?: Float32Array,
): Uint8Array[] {
  const labels = model.labels.size;
  const state = toSparseRows(
    parameters.weights.state.view,
    parameters.stateRows,
    labels,
    parameters.width,
    into,
  );
  const edges = writeEdges(parameters, fingerprintsOf(model.edgeIndex));
  const sections: Sections = {
    'state.keys': keysOf(model.stateIndex, state.rows),
    'state.masks': state.masks,
    'state.values': state.values,
    ...edges,
  };
  const header: ModelHeader = {
    spec: model.spec,
    labels: model.labels.names,
    stateFeatures: state.rows.length,
    nonZeroWeights: state.values.length + edges['edges.values'].length,
    trainingSentences: model.corpusSize ?? null,
  };
  return writeSections(modelFormatVersion, { ...header }, sections);
}

/**
 * The frozen model in a model file.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`
 */
export function readModel(
  bytes: Uint8Array,
  source = '<model>',
  kernel: Kernel = defaultKernel,
): Model {
  const file = readSections(bytes, modelFormatVersion, source);
  const { spec, labels, trainingSentences } = file.header as unknown as ModelHeader;
  const keys = file.section('state.keys', 'Uint32Array');
  const sparse = {
    masks: file.section('state.masks', 'Uint8Array'),
    values: file.section('state.values', 'Float32Array'),
  };
  const exact = spec.index.mode === 'exact';
  const memory = new LinearMemory();
  const stateIndex: FeatureIndex = exact
    ? ExactIndex.of(keys, memory)
    : new HashedIndex((spec.index as { rows: number }).rows, memory);
  const edgeKeys = file.section('edges.keys', 'Uint32Array');
  const edgeIndex: FeatureIndex = exact
    ? ExactIndex.of(edgeKeys, memory)
    : new HashedIndex((spec.index as { edgeRows: number }).edgeRows, memory);
  const { transitions } = parseTemplates(spec.templates, source);
  const { precision } = kernel;
  const layout = { transitions, support: spec.support, precision };
  const parameters = new ParameterStore(layout, labels.length);
  const counts = {
    labels: labels.length,
    stateRows: stateIndex.size,
    edgeRows: edgeIndex.size + 1,
  };
  parameters.reserve(counts);
  const table = parameters.weights.state.view;
  fromSparseRows(sparse, labels.length, table, parameters.width, i => (exact ? i : keys[i]!));
  readEdges(parameters, {
    features: file.section('edges.features', 'Uint32Array'),
    from: file.section('edges.from', 'Uint16Array'),
    to: file.section('edges.to', 'Uint16Array'),
    values: file.section('edges.values', 'Float32Array'),
  });
  const parts = { labels: new LabelSet(labels), stateIndex, edgeIndex, parameters, kernel };
  const model = new Model(spec, parts);
  model.frozen = true;
  if (trainingSentences !== null) model.corpusSize = trainingSentences;
  return model;
}

/** What a reader needs to find the rows again: fingerprints, or row numbers of a hashed index. */
function keysOf(index: FeatureIndex, rows: Uint32Array): Uint32Array {
  if (!(index instanceof ExactIndex)) return rows;
  const all = index.fingerprints();
  const keys = new Uint32Array(rows.length * 2);
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]!;
    keys[i * 2] = all[row * 2]!;
    keys[i * 2 + 1] = all[row * 2 + 1]!;
  }
  return keys;
}

function fingerprintsOf(index: FeatureIndex): Uint32Array | undefined {
  return index instanceof ExactIndex ? index.fingerprints() : undefined;
}

/** Number of weights that are not zero in a model file, from its header alone. */
export function nonZeroWeights(bytes: Uint8Array, source = '<model>'): number {
  const { header } = readSections(bytes, modelFormatVersion, source);
  const count = header.nonZeroWeights;
  if (typeof count === 'number') return count;
  throw new TagstreamError('model-damaged', 'the header has no count of weights', {
    place: { source },
  });
}
