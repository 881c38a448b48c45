import { joined } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { FeatureExtractor } from '../../features/extraction/feature-extractor.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import type { Resources } from '../../features/resources/resources.js';
import { noTokenFunctions, type TokenFunctions } from '../../features/template/token-function.js';
import type { Kernel } from '../../kernels/kernel.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { type Plane, roundToFloat32 } from '../../kernels/memory/plane.js';
import { ParameterStore, type VotingWeights } from '../../kernels/store/parameter-store.js';
import { areWeights } from '../../kernels/store/weights.js';
import { detectScheme } from '../../text/tags/detect-scheme.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { StoredTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import type { StoredLayers } from '../bundled-layers.js';
import { FirstModel } from '../decoding/first-model.js';
import { LayerTagger } from '../decoding/layer-tagger.js';
import { defaultKernel } from '../default-kernel.js';
import { readLabels, storedLabels } from '../labels/stored-labels.js';
import type { Learner } from '../learning/learner.js';
import { Model, type ModelTokenizer } from '../model.js';
import type { ModelSpec } from '../model-spec.js';
import { parameterLayout } from '../parameter-layout.js';
import { dropSmallWeights, type WeightSelection } from '../selection/drop-small-weights.js';
import { CharacterTagger, tagsCharacters } from '../text/character-tagger.js';
import { LearnedTokenizer } from '../text/learned-tokenizer.js';
import { WordExpander } from '../text/word-expander.js';
import { layerFiles, layerSections, layersHeader, readLayers } from './added/layer-sections.js';
import { copiedLexicon, lexiconSection, readLexicon } from './added/lexicon-section.js';
import {
  readTokenizer,
  requireStoredTokenizer,
  tokenizerFile,
  tokenizerHeader,
  tokenizerSections,
} from './added/tokenizer-sections.js';
import { namedTrees, readTrees, treeSections, writeTrees } from './added/tree-sections.js';
import {
  namedVectors,
  readVectors,
  vectorSections,
  vectorsOf,
  writeVectors,
} from './added/vector-sections.js';
import { namedSections, putVoters, readVoterSections } from './added/voter-sections.js';
import { writeVoters } from './added/write-voters.js';
import { compactUnit, type StateSections, writeCompact } from './compact/compact-sections.js';
import { readEdges, writeEdges } from './edge-sections.js';
import { requirePlugins, requireRoom, templatesOf } from './file-checks.js';
import { fingerprintsOf, keyedRows } from './keyed-rows.js';
import {
  formatVersionOf,
  type ModelHeader,
  modelHeaderOf,
  newestFormatVersion,
  readModelHeader,
} from './model-header.js';
import { type ModelNotes, nameSections, readNotes, writeNotes } from './model-notes.js';
import { readModelSections } from './model-sections.js';
import { readOwnState, readSharedState } from './read-state.js';
import { packResources, unpackResources } from './resource-sections.js';
import {
  damagedModel,
  type FileBytes,
  readSections,
  type SectionFile,
  type Sections,
  writeSections,
} from './section-file.js';

/**
 * Returns the bytes of a learner's model file: the deployed nonzero weights, as float32.
 *
 * Features are stored as fingerprints; only `train` keeps their names. The same learner gives the same bytes.
 *
 * @param threshold weights to omit; default: none
 * @throws TagstreamError `config` for an unknown option
 */
export function writeModel(learner: Learner, threshold?: WeightSelection): Uint8Array {
  requireArgument('writeModel: the learner', learner, kinds.learner);
  if (threshold !== undefined) {
    requireKnown('writeModel', threshold, ['below', 'keep', 'temperature', 'compact']);
  }
  return joined(modelPieces(modelContents(learner, threshold)));
}

/** Returns the contents of a learner's model file, omitting weights that a threshold removes. */
export function modelContents(learner: Learner, threshold?: WeightSelection): ModelContents {
  return takenContents(learner.model, deployedWeights(learner, threshold), threshold?.compact);
}

/**
 * Returns a copy of a learner's deployed weights, without those that a threshold removes.
 *
 * @throws TagstreamError `config` for a threshold if weights vote
 */
export function deployedWeights(learner: Learner, threshold?: WeightSelection): ParameterStore {
  return selected(learner.deployedParameters(), threshold);
}

/** Returns the deployed weights of a finished learner, whose own weights it may overwrite. */
export function finishedWeights(learner: Learner, threshold?: WeightSelection): ParameterStore {
  return selected(learner.finish(), threshold);
}

function selected(deployed: ParameterStore, threshold?: WeightSelection): ParameterStore {
  if (threshold === undefined) return deployed;
  if (deployed.voters !== undefined) {
    throw new TagstreamError('config', 'a model of voters cannot drop small weights', {
      fix: 'leave the threshold out, or train with perceptron',
    });
  }
  if (threshold.temperature !== undefined) coolWeights(deployed.weights, threshold.temperature);
  dropSmallWeights(deployed.weights, threshold);
  if (threshold.compact === true) roundWeights(deployed.weights, compactUnit);
  return deployed;
}

/**
 * Returns the contents of a model file. Consumes the parameters.
 *
 * @param isCompact whether the file will be compact, which determines the selection of weights
 */
export function takenContents(
  model: Model,
  parameters: ParameterStore,
  isCompact = false,
): ModelContents {
  const table = parameters.weights.state.view;
  // Numbers are compacted in place.
  const into = table instanceof Float32Array ? table : undefined;
  return parameterContents(model, parameters, { into, isCompact });
}

/**
 * Returns the contents of a model file, without notes.
 *
 * @throws TagstreamError as `readModel`
 */
export function contentsOf(bytes: Uint8Array, source = '<model>'): ModelContents {
  const file = readSections(bytes, newestFormatVersion, source);
  const header = modelHeaderOf(file, source);
  const own = readModelSections(file, header, damagedModel(source));
  const { keys, masks, values, edgeKeys, edges } = own;
  const voters = readVoterSections(file, header, own, damagedModel(source));
  const trees = treeSections(file);
  const vectors = vectorSections(file);
  const resources = resourcesOf(file, header, source);
  return {
    header: withoutNotes(header),
    sections: {
      'state.keys': keys,
      'state.masks': masks,
      'state.values': values,
      'edges.keys': edgeKeys,
      'edges.features': edges.features,
      'edges.from': edges.from,
      'edges.to': edges.to,
      'edges.values': edges.values,
      ...(voters === undefined ? {} : namedSections(voters)),
      ...(trees === undefined ? {} : namedTrees(trees)),
      ...(vectors === undefined ? {} : namedVectors(vectors)),
      ...packResources(resources).sections,
      ...copiedLexicon(file),
      ...(file.has(firstSection)
        ? { [firstSection]: file.section(firstSection, 'Uint8Array') }
        : {}),
      ...tokenizerSections(readTokenizer(file, header, damagedModel(source))),
      ...layerSections(readLayers(file, header, damagedModel(source))),
    },
    ...(header.compact === undefined ? {} : { isCompact: true }),
  };
}

/**
 * Returns only the fields of `ModelHeader`; a header as read also contains the section table and the notes.
 */
function withoutNotes(header: ModelHeader): ModelHeader {
  const {
    notes: _,
    sections: __,
    compact: ___,
    ...rest
  } = header as ModelHeader & Record<string, unknown>;
  return rest;
}

/** Returns the lists in a model file. */
function resourcesOf(
  file: SectionFile,
  { resources }: ModelHeader,
  source: string,
): Resources | undefined {
  const section = (name: string) => file.section(name, 'Uint8Array');
  return unpackResources(resources, section, damagedModel(source));
}

/**
 * Returns a model file in pieces, to be written in order, so that large models are not held in memory
 * twice.
 */
export function modelPieces(contents: ModelContents, notes?: ModelNotes): Uint8Array[] {
  const { header, sections } = contents.isCompact === true ? compacted(contents) : contents;
  const { index } = header.spec;
  const stateRows = index.mode === 'exact' ? header.stateFeatures : index.rows;
  const noted = notes === undefined ? undefined : writeNotes(notes, stateRows);
  return writeSections(
    formatVersionOf(header),
    { ...header, ...noted?.header },
    { ...sections, ...noted?.sections },
  );
}

/** Returns contents with compact sections, if the weights allow it. */
function compacted({ header, sections }: ModelContents): ModelContents {
  const {
    'state.keys': keys,
    'state.masks': masks,
    'state.values': values,
    ...others
  } = sections as { [Name in keyof StateSections as `state.${Name}`]: StateSections[Name] };
  const isHashed = header.spec.index.mode === 'hashed';
  const written = writeCompact({ keys, masks, values }, header.labels.length, isHashed);
  if (written === undefined) return { header, sections };
  return {
    header: { ...header, compact: written.header },
    sections: { ...written.sections, ...others },
  };
}

/** Returns the model file of a model with the weights of `parameters`, which has the same rows. */
export function writeParameters(model: Model, parameters: ParameterStore): Uint8Array {
  return joined(modelPieces(parameterContents(model, parameters)));
}

function parameterContents(
  model: Model,
  parameters: ParameterStore,
  { into, isCompact = false }: { into?: Float32Array | undefined; isCompact?: boolean } = {},
): ModelContents {
  const { keys, ...state } = keyedRows(model, parameters, { into, isCompact });
  const edges = writeEdges(parameters, fingerprintsOf(model.edgeIndex));
  const { voters, forest } = parameters;
  const vectors = vectorsOf(parameters);
  const { resources, functions: _, ...spec } = model.spec;
  const lists = packResources(resources);
  const { lexicon } = model.extractor.plan.words;
  const sections: Sections = {
    'state.keys': keys,
    'state.masks': state.masks,
    'state.values': state.values,
    ...edges,
    ...(voters === undefined ? {} : votersOf(model, parameters, voters, state.rows)),
    ...(forest === undefined ? {} : writeTrees(forest, model.stateIndex, state.rows)),
    ...(vectors === undefined ? {} : writeVectors(vectors, model.stateIndex, state.rows)),
    ...lists.sections,
    ...lexiconSection(lexicon),
    ...(model.first === undefined ? {} : { [firstSection]: model.first.bytes }),
    ...tokenizerSections(model.tokenizer?.stored),
    ...layerSections(model.bundle?.stored),
  };
  requireWeights(sections);
  const header: ModelHeader = {
    spec,
    ...(lists.listed.length === 0 ? {} : { resources: lists.listed }),
    ...storedLabels(model.labels),
    stateFeatures: state.rows.length,
    nonZeroWeights: state.values.length + edges['edges.values'].length,
    trainingSentences: model.corpusSize ?? null,
    ...(voters === undefined ? {} : { voters: voters.votes }),
    ...(vectors === undefined ? {} : { similarity: vectors.similarity }),
    ...(isSpanScheme(model.scheme) ? { transitions: model.transitionRules } : {}),
    ...(model.first === undefined ? {} : { first: true }),
    ...(model.tokenizer === undefined
      ? {}
      : { tokenizer: tokenizerHeader(model.tokenizer.stored) }),
    ...(model.bundle === undefined ? {} : { bundle: layersHeader(model.bundle.stored) }),
    ...(lexicon === undefined ? {} : { lexicon: true }),
    ...(model.learnedWords === undefined ? {} : { dictionary: model.learnedWords }),
  };
  return { header, sections, stateRows: state.rows, ...(isCompact ? { isCompact } : {}) };
}

/**
 * Checks that all weights are those that files may have, because no loss shows a divergence in the last step of training.
 *
 * @throws TagstreamError `numeric`
 */
function requireWeights(sections: Sections): void {
  for (const values of Object.values(sections)) {
    if (!(values instanceof Float32Array) || areWeights(values)) continue;
    throw new TagstreamError('numeric', 'a weight of the model is too large or not finite', {
      fix: 'the step size or a real-valued feature is too large: lower eta0 or scale the feature',
    });
  }
}

function votersOf(
  { stateIndex, edgeIndex }: Model,
  parameters: ParameterStore,
  voters: VotingWeights,
  stateRows: Uint32Array,
): Sections {
  const features = { state: fingerprintsOf(stateIndex), edges: fingerprintsOf(edgeIndex) };
  return namedSections(writeVoters(voters, parameters, { stateRows, ...features }));
}

/**
 * Reads the bytes of a model file and returns the frozen model.
 *
 * @param source name of the file, for errors
 * @param kernel the kernel to compute with; default: `kernels.simd`
 * @param functions plug-in token functions that its templates may name
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`; `config` if a required plug-in is not
 *   given; `too-large` if its weights do not fit into memory
 */
export function readModel(
  bytes: Uint8Array,
  source = '<model>',
  kernel: Kernel = defaultKernel,
  functions: TokenFunctions = noTokenFunctions,
): Model {
  requireArgument('readModel: the file', bytes, kinds.bytes);
  requireArgument('readModel: the kernel', kernel, kinds.kernel);
  return readWholeModel(bytes, { source, kernel, functions, sharesRows: false });
}

/**
 * Reads a model for tagging only: features of a compact file with equal weights share a row, so the model takes less
 * memory and loads faster. The model cannot be trained further, and its features cannot be listed.
 *
 * @throws TagstreamError as `readModel`
 */
export function readTaggingModel(
  bytes: Uint8Array | FileBytes,
  source = '<model>',
  kernel: Kernel = defaultKernel,
  functions: TokenFunctions = noTokenFunctions,
): Model {
  requireArgument('Tagger: the model file', bytes, kinds.bytes);
  requireArgument('Tagger: the kernel', kernel, kinds.kernel);
  return readWholeModel(bytes, { source, kernel, functions, sharesRows: true });
}

/** Section of the first model's file, whose predictions templates use. */
const firstSection = 'first';

interface Reading {
  readonly source: string;
  readonly kernel: Kernel;
  readonly functions: TokenFunctions;
  readonly sharesRows: boolean;
  /** Whether the model is another one's first model, and therefore cannot have one itself. */
  readonly isFirst?: boolean;
  /** Whether the model is another one's layer, and therefore cannot have layers itself. */
  readonly isLayer?: boolean;
}

function readWholeModel(bytes: Uint8Array | FileBytes, reading: Reading): Model {
  const { source, kernel, functions } = reading;
  const { file, header, spec, templates, labels, layout, counts, read, parts } = checkedFile(
    bytes,
    reading,
  );
  const { index } = spec;
  const memory = new LinearMemory();
  const stateIndex = read.index(memory);
  // If each feature has its own row, rows are checked separately and errors are specific.
  if (stateIndex === undefined) return readWholeModel(bytes, { ...reading, sharesRows: false });
  const edgeIndex: FeatureIndex =
    index.mode === 'exact'
      ? ExactIndex.of(read.edgeKeys, memory)
      : new HashedIndex(index.edgeRows, memory);
  const parameters = new ParameterStore(layout, header.labels.length);
  parameters.reserve(counts);
  read.place(parameters);
  readEdges(parameters, read.edges);
  if (read.voters !== undefined) putVoters(parameters, read.voters, header.voters!);
  parameters.forest = parts.forest;
  parameters.vectors = parts.vectors;
  const { set, plan } = templates;
  const extractor = new FeatureExtractor(set, spec.columns, memory, spec.resources, plan);
  const { transitions: rules, dictionary: words } = header;
  const model = new Model(spec, {
    ...{ labels, stateIndex, edgeIndex, parameters, kernel, extractor },
    ...(rules === undefined ? {} : { rules }),
    ...(words === undefined ? {} : { words }),
  });
  model.frozen = true;
  model.extractor.plan.words.lexicon = parts.lexicon;
  const { first } = parts;
  if (first !== undefined) {
    const own = { source: firstSource(source), kernel, functions, sharesRows: true, isFirst: true };
    model.first = new FirstModel(readWholeModel(first, own), first);
  }
  if (parts.tokenizer !== undefined) {
    const own = { source: tokenizerSource(source), kernel, functions, sharesRows: true };
    model.tokenizer = tokenizerOf(
      parts.tokenizer,
      part => readWholeModel(part, own),
      tokenizerFile(file),
    );
  }
  const { layers } = parts;
  if (layers !== undefined) {
    model.bundle = layersOf(layers, { source, kernel, functions }, layerFiles(file, layers));
  }
  if (header.trainingSentences !== null) model.corpusSize = header.trainingSentences;
  return model;
}

/**
 * Returns the layers of a bundle in a file, each with its model.
 *
 * @param files the layers' model files
 */
export function layersOf(
  stored: StoredLayers,
  { source, kernel, functions }: Omit<Reading, 'sharesRows'>,
  files: readonly (Uint8Array | FileBytes)[] = stored.layers.map(({ bytes }) => bytes),
): LayerTagger {
  const models = stored.layers.map(({ column }, i) => {
    const own = { source: layerSource(source, column), kernel, functions, sharesRows: true };
    const model = readWholeModel(files[i]!, { ...own, isLayer: true });
    requireOwnSentence(model, column, source);
    return model;
  });
  return new LayerTagger(stored, models);
}

/**
 * Layers get single sentences in no particular order, so they cannot see the surrounding document.
 */
function requireOwnSentence({ extractor }: Model, column: string, source: string): void {
  const { readsDocuments, readsPredictions } = extractor;
  if (!(readsDocuments || readsPredictions)) return;
  const what = readsDocuments ? '%document' : '%predicted';
  throw new TagstreamError(
    'config',
    `the model of the column "${column}" looks at other sentences of the document (${what}), which only the first of several models can do`,
    { place: { source }, fix: `name it first, or train it without ${what}` },
  );
}

/**
 * Checks that a model file can be read without building the model, which takes a fraction of the time and
 * memory.
 *
 * @param source name of the file, for errors
 * @param functions plug-in token functions that its templates may name
 * @throws TagstreamError as `readModel`
 */
export function requireReadable(
  bytes: Uint8Array | FileBytes,
  source: string,
  functions: TokenFunctions = noTokenFunctions,
): void {
  const reading = { source, kernel: defaultKernel, functions };
  const { file, header, read, parts } = checkedFile(bytes, { ...reading, sharesRows: false });
  readNotes(file, read.rows, source);
  // Reading it here validates the lexicon, which is parsed on demand.
  if (header.lexicon === true) parts.lexicon?.stored;
  if (parts.first !== undefined) requireReadable(parts.first, firstSource(source), functions);
  if (parts.tokenizer !== undefined) {
    const { expander } = parts.tokenizer;
    requireReadable(tokenizerFile(file), tokenizerSource(source), functions);
    if (expander?.bytes !== undefined) {
      requireReadable(expander.bytes, tokenizerSource(source), functions);
    }
  }
  const { layers } = parts;
  if (layers === undefined) return;
  const files = layerFiles(file, layers);
  for (const [i, { column }] of layers.layers.entries()) {
    requireReadable(files[i]!, layerSource(source, column), functions);
  }
}

function layerSource(source: string, column: string): string {
  return `${source}: its layer "${column}"`;
}

function firstSource(source: string): string {
  return `${source}: its first model`;
}

/**
 * Returns a file's tokenizer: a learned one, or a tagger of characters.
 *
 * @param read function that reads one of its model files
 * @param file the model file of the tokenizer
 */
export function tokenizerOf(
  stored: StoredTokenizer,
  read: (bytes: Uint8Array | FileBytes) => Model,
  file: Uint8Array | FileBytes = stored.bytes,
): ModelTokenizer {
  const { expander } = stored;
  const model = read(file);
  if (tagsCharacters(model.spec, model.labels.tags)) return new CharacterTagger(model, stored);
  const words = expander?.bytes === undefined ? undefined : read(expander.bytes);
  const expands = expander === undefined ? undefined : new WordExpander(words, expander);
  return new LearnedTokenizer(model, stored, expands);
}

/**
 * Returns the tokenizer of a model file, without the rest of the file.
 *
 * @throws TagstreamError `config` if the file has none; `model-format`, `model-version`,
 *   `model-damaged`
 */
export function readLearnedTokenizer(
  bytes: Uint8Array,
  source = '<model>',
  kernel: Kernel = defaultKernel,
): ModelTokenizer {
  const own = { source: tokenizerSource(source), kernel, functions: noTokenFunctions };
  return tokenizerOf(requireStoredTokenizer(bytes, source), part =>
    readWholeModel(part, { ...own, sharesRows: true }),
  );
}

function tokenizerSource(source: string): string {
  return `${source}: its tokenizer`;
}

/** Extracts a model's parts from its file after validating them; builds no index and places no weights. */
function checkedFile(
  bytes: Uint8Array | FileBytes,
  { source, kernel, functions, sharesRows, isFirst, isLayer }: Reading,
) {
  const file = readSections(bytes, newestFormatVersion, source);
  const fail = damagedModel(source);
  const header = modelHeaderOf(file, source);
  const lists = resourcesOf(file, header, source);
  requirePlugins(header.spec.uses, functions, source);
  const spec: ModelSpec = {
    ...header.spec,
    ...(lists === undefined ? {} : { resources: lists }),
    ...(functions.size === 0 ? {} : { functions }),
  };
  const templates = templatesOf(spec, source);
  const { index } = spec;
  const exact = index.mode === 'exact';
  const labels = readLabels(header, spec);
  if (labels === undefined) throw fail('its labels are inconsistent');
  const layout = parameterLayout(spec, templates.set, kernel.precision, labels);
  const shares = sharesRows && header.compact !== undefined && exact;
  // Features take much less room in a compact file than with a separate row each.
  const columns = header.labels.length;
  const stateRows = header.stateFeatures;
  if (!shares) requireRoom(layout, { labels: columns, stateRows, edgeRows: 1 }, source);
  const read = shares ? readSharedState(file, header, fail) : readOwnState(file, header, fail);
  requireWhole(file);
  const counts = {
    labels: columns,
    stateRows: read.rows,
    edgeRows: (exact ? read.edgeKeys.length / 2 : index.edgeRows) + 1,
  };
  requireRoom(layout, counts, source);
  const first = file.has(firstSection) ? file.section(firstSection, 'Uint8Array') : undefined;
  if (first !== undefined && isFirst === true) {
    throw fail('its first model also has a first model');
  }
  const parts = {
    forest: readTrees(file, read.rows, columns, fail),
    vectors: readVectors(file, header, read.rows, fail),
    lexicon: readLexicon(file, header, isSpanScheme(detectScheme(labels.names)), fail),
    first,
    tokenizer: readTokenizer(file, header, fail),
    layers: readLayers(file, header, fail),
  };
  if (parts.layers !== undefined && isLayer === true) throw fail('a layer has layers itself');
  return { file, header, spec, templates, labels, layout, counts, read, parts };
}

/** Checks names now although they are read later, so that a damaged file fails here. */
function requireWhole(file: SectionFile): void {
  if (!file.has(nameSections.rows)) return;
  file.section(nameSections.rows, 'Uint32Array');
  file.section(nameSections.text, 'Uint8Array');
}

/** Returns the number of nonzero weights in a model file, from its header alone. */
export function nonZeroWeights(bytes: Uint8Array, source = '<model>'): number {
  return readModelHeader(bytes, source).nonZeroWeights;
}

/** Contents of a model file, before writing or after reading. */
export interface ModelContents {
  readonly header: ModelHeader;
  readonly sections: Sections;
  /** Rows of the state features in the index from which they were just taken. */
  readonly stateRows?: Uint32Array;
  /** Whether to write a compact file if possible, in which features are in the order of `keyOrder`. */
  readonly isCompact?: boolean;
}

/**
 * Divides all weights by a temperature, in place: p(y | x) becomes proportional to p(y | x)^(1 / T), with the same best
 * labels. A temperature above 1 makes an overconfident model less confident. Guo, Pleiss, Sun and Weinberger (2017).
 */
function coolWeights(weights: Plane, temperature: number): void {
  for (const { view } of [weights.state, weights.edges, weights.pairs]) {
    for (let i = 0; i < view.length; i += 1) view[i]! /= temperature;
  }
  roundToFloat32(weights);
}

const tables = ['state', 'edges', 'pairs'] as const;

/**
 * Rounds weights to multiples of `1 / unit`, ties to even; weights below half a unit become zero. A weight's error
 * is at most half a unit, a token score's error at most half a unit per feature.
 */
export function roundWeights(weights: Plane, unit: number): void {
  for (const table of tables) {
    const view = weights[table].view;
    for (let i = 0; i < view.length; i += 1) {
      if (view[i] !== 0) view[i] = nearestEven(view[i]! * unit) / unit;
    }
  }
}

/** Rounds to the nearest integer, ties to even; symmetric for a number and its negative. */
function nearestEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest < 0.5 || (rest === 0.5 && below % 2 === 0)) return below;
  return below + 1;
}
