import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { type State, stateArray, stateCount, wrongState } from '../../core/training/state.js';
import { planExtraction } from '../../features/extraction/extraction-plan.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import { mostIndexEntries } from '../../features/index/index-table.js';
import { canGrow } from '../../features/index/placed-index.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { noTokenFunctions, type TokenFunctions } from '../../features/template/token-function.js';
import type { Kernel } from '../../kernels/kernel.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { ParameterStore } from '../../kernels/store/parameter-store.js';
import { planeArrays, restorePlane } from '../../optimizers/planes/planes.js';
import { defaultKernel } from '../default-kernel.js';
import { requirePlugins, requireRoom } from '../files/file-checks.js';
import {
  countedWordsSchema,
  labelsSchema,
  learnedWordsSchema,
  modelSpecSchema,
  pairsSchema,
  wordsSchema,
} from '../files/model-header.js';
import { packResources, unpackResources } from '../files/resource-sections.js';
import type { GrowthLimit } from '../growth-limit.js';
import type { CountedWords, LearnedWords } from '../labels/dictionary-counts.js';
import { SeenTransitions } from '../labels/seen-transitions.js';
import { readLabels, type StoredLabels, storedLabels } from '../labels/stored-labels.js';
import { Model } from '../model.js';
import type { ModelSpec } from '../model-spec.js';
import { parameterLayout } from '../parameter-layout.js';

/** Saves the raw state of a model in training, for a checkpoint: nothing is averaged, charged or rounded. */
export function saveModelState(model: Model): State {
  requireArgument('saveModelState: the model', model, kinds.model);
  const { parameters, stateIndex, edgeIndex, labels } = model;
  model.reserve();
  const { pairs, support, statePairs, reused } = parameters;
  const state = stateIndex.save();
  const edges = edgeIndex.save();
  const { resources, functions: _, ...spec } = model.spec;
  const lists = packResources(resources);
  return {
    json: {
      spec,
      ...(lists.listed.length === 0 ? {} : { resources: lists.listed }),
      ...storedLabels(labels),
      labelCapacity: parameters.labelCapacity,
      scale: parameters.scale,
      version: parameters.version,
      corpusSize: model.corpusSize ?? null,
      frozen: model.frozen,
      seen: model.seen.save(),
      ...dictionaryOf(model),
      stateIndex: state.json,
      edgeIndex: edges.json,
    },
    arrays: {
      ...planeArrays('weights', parameters.weights),
      ...prefixed('stateIndex', state.arrays),
      ...prefixed('edgeIndex', edges.arrays),
      'pairs.heads': pairs.heads,
      'pairs.from': pairs.from.subarray(0, pairs.size),
      'pairs.to': pairs.to.subarray(0, pairs.size),
      'pairs.next': pairs.next.subarray(0, pairs.size),
      ...(support === undefined
        ? {}
        : { 'support.state': support.state, 'support.transitions': support.transitions }),
      ...(statePairs === undefined
        ? {}
        : {
            'statePairs.starts': statePairs.starts,
            'statePairs.labels': Uint32Array.from(statePairs.labels),
          }),
      ...(canGrow(stateIndex) && stateIndex.prunes
        ? {
            'reborn.state': Uint32Array.from(reused.state),
            'reborn.edges': Uint32Array.from(reused.edges),
          }
        : {}),
      ...lists.sections,
    },
  };
}

/**
 * Restores a model saved by `saveModelState`.
 *
 * @param limit limit on further growth
 * @param functions plug-in token functions that its templates may name
 * @throws TagstreamError `checkpoint` if the state is inconsistent, `config` if a required plug-in is
 * missing, `too-large`
 */
export function restoreModelState(
  state: State,
  kernel: Kernel = defaultKernel,
  limit?: GrowthLimit,
  functions: TokenFunctions = noTokenFunctions,
): Model {
  requireArgument('restoreModelState: the state', state, kinds.state);
  checkModelState(state, functions);
  const json = state.json as unknown as SavedModel;
  const { labels } = json;
  const spec = savedSpec(state, functions);
  const memory = new LinearMemory();
  const prunes = limit !== undefined || Object.hasOwn(state.arrays, 'stateIndex.free');
  const stateIndex = restoreIndex(spec, 'stateIndex', { state, memory, prunes });
  const edgeIndex = restoreIndex(spec, 'edgeIndex', { state, memory, prunes });
  const templates = parseTemplates(spec.templates, undefined, spec.functions);
  const named = readLabels(json, spec)!;
  const layout = parameterLayout(spec, templates, kernel.precision, named);
  const counts = {
    labels: labels.length,
    stateRows: stateIndex.size,
    edgeRows: edgeIndex.size + 1,
  };
  requireRoom(layout, { ...counts, labels: json.labelCapacity });
  requireWeights(state, spec, counts, json.labelCapacity);
  const parameters = new ParameterStore(layout, json.labelCapacity);
  if (spec.compressed === true) {
    const starts = stateArray(state, 'statePairs.starts', [Uint32Array], stateIndex.size + 1);
    const ownLabels = stateArray(state, 'statePairs.labels', [Uint32Array], starts.at(-1)!);
    parameters.statePairs!.restore(starts, Uint16Array.from(ownLabels));
  }
  parameters.reserve(counts);
  parameters.pairs.restore({
    heads: state.arrays['pairs.heads'] as Int32Array,
    from: state.arrays['pairs.from'] as Uint32Array,
    to: state.arrays['pairs.to'] as Uint32Array,
    next: state.arrays['pairs.next'] as Int32Array,
  });
  parameters.fitPairs();
  restorePlane('weights', parameters.weights, state);
  parameters.support?.restore(
    state.arrays['support.state'] as Uint8Array,
    state.arrays['support.transitions'] as Uint8Array,
  );
  for (const kind of ['state', 'edges'] as const) {
    const reused = state.arrays[`reborn.${kind}`] as Uint32Array | undefined;
    if (reused !== undefined) parameters.reused[kind] = Array.from(reused);
  }
  parameters.scale = json.scale;
  parameters.version = json.version;
  const parts = {
    ...{ labels: named, stateIndex, edgeIndex, parameters, kernel },
    seen: new SeenTransitions(json.seen),
    limit,
    ...(json.dictionary === undefined ? {} : { words: json.dictionary }),
    ...(json.dictionaryCounts === undefined ? {} : { counted: json.dictionaryCounts }),
  };
  const model = new Model(spec, parts);
  if (json.corpusSize !== null) model.corpusSize = json.corpusSize;
  model.frozen = json.frozen;
  return model;
}

/** Returns a frozen model's words; otherwise all counts from which they are determined. */
function dictionaryOf({ countedWords, learnedWords }: Model): State['json'] {
  if (countedWords !== undefined) return { dictionaryCounts: countedWords };
  return learnedWords === undefined ? {} : { dictionary: learnedWords };
}

/**
 * Checks before anything is allocated that there are as many weights as features and labels
 * require.
 */
function requireWeights(
  state: State,
  { support, compressed }: ModelSpec,
  { stateRows, edgeRows }: { stateRows: number; edgeRows: number },
  width: number,
): void {
  const kinds = [Float64Array, Float32Array];
  const blocks = support === 'all' ? edgeRows : 1;
  const rowNumbers = compressed === true ? 0 : stateRows * width;
  stateArray(state, 'weights.state', kinds, compressed === true ? undefined : rowNumbers);
  stateArray(state, 'weights.edges', kinds, blocks * width * width);
  const heads = stateArray(state, 'pairs.heads', [Int32Array]);
  if (support === 'all') return;
  if (heads.length < edgeRows) throw wrongState('pairs.heads is too short');
  stateArray(state, 'weights.pairs', kinds, state.arrays['pairs.from']!.length);
  stateArray(state, 'support.state', [Uint8Array], rowNumbers);
  stateArray(state, 'support.transitions', [Uint8Array], width * width);
}

interface SavedModel extends StoredLabels {
  readonly labelCapacity: number;
  readonly scale: number;
  readonly version: number;
  readonly corpusSize: number | null;
  readonly frozen: boolean;
  readonly seen?: readonly number[];
  readonly dictionary?: LearnedWords;
  readonly dictionaryCounts?: CountedWords;
  readonly stateIndex: State['json'];
  readonly edgeIndex: State['json'];
}

function restoreIndex(
  spec: ModelSpec,
  name: 'stateIndex' | 'edgeIndex',
  { state, memory, prunes }: { state: State; memory: LinearMemory; prunes: boolean },
): FeatureIndex {
  if (spec.index.mode === 'hashed') {
    return new HashedIndex(name === 'stateIndex' ? spec.index.rows : spec.index.edgeRows, memory);
  }
  const json = state.json[name] as State['json'];
  const table = state.arrays[`${name}.table`]!;
  const free = state.arrays[`${name}.free`];
  const arrays = free === undefined ? { table } : { table, free };
  return ExactIndex.restore({ json, arrays }, spec.index.cutoff, memory, prunes);
}

function prefixed(prefix: string, arrays: State['arrays']): State['arrays'] {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, array]) => [`${prefix}.${name}`, array]),
  );
}

const savedSchema = z.looseObject({
  spec: modelSpecSchema,
  labels: labelsSchema,
  pairs: z.optional(pairsSchema),
  names: z.optional(labelsSchema),
  words: z.optional(wordsSchema),
  labelCapacity: z.int().multipleOf(4).min(4),
  scale: z.number().positive(),
  version: z.int().min(0),
  corpusSize: z.int().min(0).nullable(),
  frozen: z.boolean(),
  seen: z.array(z.int().min(0)).optional(),
  dictionary: z.optional(learnedWordsSchema),
  dictionaryCounts: z.optional(countedWordsSchema),
  stateIndex: z.looseObject({ size: z.int().min(0) }),
  edgeIndex: z.looseObject({ size: z.int().min(0) }),
});

/**
 * Checks, before anything is built from a model's state, that it is consistent: no index is out of
 * range, and every search terminates. Cost O(features + pairs).
 *
 * @throws TagstreamError `checkpoint`
 */
function checkModelState(state: State, functions: TokenFunctions = noTokenFunctions): void {
  const result = savedSchema.safeParse(state.json);
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw wrongState(`${path.join('.')}: ${message}`);
  }
  const { spec, labels, labelCapacity } = result.data;
  if (labels.length > labelCapacity) throw wrongState('it has more labels than capacity');
  if (readLabels(result.data as StoredLabels, spec as ModelSpec) === undefined) {
    throw wrongState('its labels are inconsistent');
  }
  requirePlugins((spec as ModelSpec).uses, functions, 'the checkpoint');
  checkTemplates(savedSpec(state, functions));
  if (spec.index.mode === 'exact') {
    checkTable(state, 'stateIndex');
    checkTable(state, 'edgeIndex');
    const { size } = result.data.stateIndex;
    if (labels.length === 0 && size > 0) throw wrongState('there are features without labels');
  }
  checkPairs(state, labels.length);
}

function checkTemplates({ templates, columns, resources, functions }: ModelSpec): void {
  try {
    planExtraction(parseTemplates(templates, undefined, functions), columns, resources);
  } catch (cause) {
    throw wrongState(`the templates: ${TagstreamError.from(cause, 'template').problem}`);
  }
}

/** Checks the hash table of an exact index: entries of lo, hi, row + 1, times seen. */
function checkTable(state: State, name: 'stateIndex' | 'edgeIndex'): void {
  const table = stateArray(state, `${name}.table`, [Uint32Array], 4);
  const json = state.json[name] as Record<string, unknown>;
  const size = stateCount({ json, arrays: {} }, 'size');
  const places = table.length / 4;
  if (!Number.isInteger(Math.log2(places))) throw wrongState(`${name} has ${places} places`);
  let entries = 0;
  // Rows freed by pruning.
  const free = Object.hasOwn(state.arrays, `${name}.free`)
    ? stateArray(state, `${name}.free`, [Uint32Array])
    : new Uint32Array();
  // Checks before allocating that memory: each row is in the table or free.
  if (size > places + free.length) throw wrongState(`${name} does not have ${size} rows`);
  const used = new Uint8Array(size);
  for (const row of free) {
    if (row >= size) throw wrongState(`${name} has a row out of range`);
    used[row]! += 1;
  }
  for (let at = 0; at < table.length; at += 4) {
    const row = table[at + 2]!;
    if (row > size) throw wrongState(`${name} has a row out of range`);
    if (row > 0) used[row - 1]! += 1;
    if (table[at + 3] !== 0) entries += 1;
  }
  // A search in a full table would never terminate.
  const isWhole = used.every(times => times === 1);
  if (!isWhole || entries !== json.entries || entries > mostIndexEntries(places)) {
    throw wrongState(`${name} does not have ${size} rows, or not ${String(json.entries)} entries`);
  }
}

function checkPairs(state: State, labels: number): void {
  const heads = stateArray(state, 'pairs.heads', [Int32Array]);
  const from = stateArray(state, 'pairs.from', [Uint32Array]);
  const to = stateArray(state, 'pairs.to', [Uint32Array]);
  const next = stateArray(state, 'pairs.next', [Int32Array]);
  const { length } = from;
  if (to.length !== length || next.length !== length) throw wrongState('the pairs are incomplete');
  for (let i = 0; i < heads.length; i += 1) {
    if (heads[i]! < -1 || heads[i]! >= length) throw wrongState('a pair is missing');
  }
  for (let i = 0; i < length; i += 1) {
    if (from[i]! >= labels || to[i]! >= labels) throw wrongState('a pair has no label');
    // Chains lead only to later pairs, so each of them ends.
    const after = next[i]!;
    if (after !== -1 && (after <= i || after >= length)) throw wrongState('a chain is broken');
  }
}

/**
 * Returns the specification in a model's saved state, with its lists.
 *
 * @param functions plug-in token functions that its templates may name
 * @throws TagstreamError `checkpoint` if a list is missing or malformed
 */
function savedSpec(state: State, functions: TokenFunctions = noTokenFunctions): ModelSpec {
  const spec = state.json.spec as ModelSpec;
  const resources = unpackResources(
    state.json.resources,
    name => stateArray(state, name, [Uint8Array]),
    wrongState,
  );
  return {
    ...spec,
    ...(resources === undefined ? {} : { resources }),
    ...(functions.size === 0 ? {} : { functions }),
  };
}
