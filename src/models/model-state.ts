import { stateArray, wrongState } from '../core/read-state.js';
import type { State } from '../core/state.js';
import { ExactIndex } from '../features/exact-index.js';
import type { FeatureIndex } from '../features/feature-index.js';
import { HashedIndex } from '../features/hashed-index.js';
import { parseTemplates } from '../features/template/parse-templates.js';
import type { Kernel } from '../kernels/kernel.js';
import { LinearMemory } from '../kernels/linear-memory.js';
import { ParameterStore } from '../kernels/parameter-store.js';
import { planeArrays, restorePlane } from '../optimizers/plane-state.js';
import { checkModelState } from './check-model-state.js';
import type { CountedWords, LearnedWords } from './dictionary-counts.js';
import { defaultKernel } from './kernels.js';
import { LabelSet } from './label-set.js';
import { Model } from './model.js';
import type { ModelSpec } from './model-spec.js';
import { requireRoom } from './require-room.js';
import { packResources } from './resource-sections.js';
import { savedSpec } from './saved-spec.js';
import { SeenTransitions } from './seen-transitions.js';

/** The raw state of a model in training, for a checkpoint: nothing averaged, charged or rounded. */
export function saveModelState(model: Model): State {
  const { parameters, stateIndex, edgeIndex, labels } = model;
  model.reserve();
  const { pairs, support, reborn } = parameters;
  const state = stateIndex.save();
  const edges = edgeIndex.save();
  const { resources, ...spec } = model.spec;
  const lists = packResources(resources);
  return {
    json: {
      spec,
      ...(lists.listed.length === 0 ? {} : { resources: lists.listed }),
      labels: labels.names,
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
      ...(prunes(model.spec)
        ? {
            'reborn.state': Uint32Array.from(reborn.state),
            'reborn.edges': Uint32Array.from(reborn.edges),
          }
        : {}),
      ...lists.sections,
    },
  };
}

/**
 * The model that `saveModelState` described.
 *
 * @throws TagstreamError `checkpoint` if the state does not fit together, `too-large`
 */
export function restoreModelState(state: State, kernel: Kernel = defaultKernel): Model {
  checkModelState(state);
  const json = state.json as unknown as SavedModel;
  const { labels } = json;
  const spec = savedSpec(state);
  const memory = new LinearMemory();
  const stateIndex = restoreIndex(spec, 'stateIndex', json.stateIndex, state, memory);
  const edgeIndex = restoreIndex(spec, 'edgeIndex', json.edgeIndex, state, memory);
  const { transitions } = parseTemplates(spec.templates);
  const layout = { transitions, support: spec.support, precision: kernel.precision };
  const counts = {
    labels: labels.length,
    stateRows: stateIndex.size,
    edgeRows: edgeIndex.size + 1,
  };
  requireRoom(layout, { ...counts, labels: json.labelCapacity });
  requireWeights(state, spec, counts, json.labelCapacity);
  const parameters = new ParameterStore(layout, json.labelCapacity);
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
  if (prunes(spec)) {
    parameters.reborn.state = Array.from(state.arrays['reborn.state'] as Uint32Array);
    parameters.reborn.edges = Array.from(state.arrays['reborn.edges'] as Uint32Array);
  }
  parameters.scale = json.scale;
  parameters.version = json.version;
  const parts = {
    ...{ labels: new LabelSet(labels), stateIndex, edgeIndex, parameters, kernel },
    seen: new SeenTransitions(json.seen),
    ...(json.dictionary === undefined ? {} : { words: json.dictionary }),
    ...(json.dictionaryCounts === undefined ? {} : { counted: json.dictionaryCounts }),
  };
  const model = new Model(spec, parts);
  if (json.corpusSize !== null) model.corpusSize = json.corpusSize;
  model.frozen = json.frozen;
  return model;
}

/** The words of a frozen model; all that was counted for them while they may become more. */
function dictionaryOf({ countedWords, learnedWords }: Model): State['json'] {
  if (countedWords !== undefined) return { dictionaryCounts: countedWords };
  return learnedWords === undefined ? {} : { dictionary: learnedWords };
}

/** Before room is made for them: whether there are as many weights as features and labels ask for. */
function requireWeights(
  state: State,
  { support }: ModelSpec,
  { stateRows, edgeRows }: { stateRows: number; edgeRows: number },
  width: number,
): void {
  const kinds = [Float64Array, Float32Array];
  const blocks = support === 'all' ? edgeRows : 1;
  stateArray(state, 'weights.state', kinds, stateRows * width);
  stateArray(state, 'weights.edges', kinds, blocks * width * width);
  const heads = stateArray(state, 'pairs.heads', [Int32Array]);
  if (support === 'all') return;
  if (heads.length < edgeRows) throw wrongState('pairs.heads is too short');
  stateArray(state, 'weights.pairs', kinds, state.arrays['pairs.from']!.length);
  stateArray(state, 'support.state', [Uint8Array], stateRows * width);
  stateArray(state, 'support.transitions', [Uint8Array], width * width);
}

interface SavedModel {
  readonly labels: readonly string[];
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
  json: State['json'],
  state: State,
  memory: LinearMemory,
): FeatureIndex {
  if (spec.index.mode === 'hashed') {
    return new HashedIndex(name === 'stateIndex' ? spec.index.rows : spec.index.edgeRows, memory);
  }
  const table = state.arrays[`${name}.table`]!;
  const arrays = prunes(spec) ? { table, free: state.arrays[`${name}.free`]! } : { table };
  return ExactIndex.restore({ json, arrays }, spec.index.cutoff, memory, prunes(spec));
}

function prunes({ index }: ModelSpec): boolean {
  return index.mode === 'exact' && index.pruneEvery !== undefined;
}

function prefixed(prefix: string, arrays: State['arrays']): State['arrays'] {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, array]) => [`${prefix}.${name}`, array]),
  );
}
