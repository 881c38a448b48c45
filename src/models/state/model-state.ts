import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { stateArray, wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { noTokenFunctions, type TokenFunctions } from '../../features/template/token-function.js';
import type { Kernel } from '../../kernels/kernel.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { ParameterStore } from '../../kernels/store/parameter-store.js';
import { planeArrays, restorePlane } from '../../optimizers/planes/plane-state.js';
import { defaultKernel } from '../default-kernel.js';
import { requireRoom } from '../files/require-room.js';
import { packResources } from '../files/resource-sections.js';
import type { GrowthLimit } from '../growth-limit.js';
import type { CountedWords, LearnedWords } from '../labels/dictionary-counts.js';
import { SeenTransitions } from '../labels/seen-transitions.js';
import { readLabels, type StoredLabels, storedLabels } from '../labels/stored-labels.js';
import { Model } from '../model.js';
import type { ModelSpec } from '../model-spec.js';
import { parameterLayout } from '../parameter-layout.js';
import { checkModelState } from './check-model-state.js';
import { savedSpec } from './saved-spec.js';

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
      ...(stateIndex instanceof ExactIndex && stateIndex.prunes
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
 * Restores the model that `saveModelState` saved.
 *
 * @param limit how much it may grow from here on
 * @param functions token functions of plug-ins that its templates may name
 * @throws TagstreamError `checkpoint` if the state does not fit together, `config` if it needs a plug-in that is not
 * given, `too-large`
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

/** The words of a frozen model; all that was counted for them while they may become more. */
function dictionaryOf({ countedWords, learnedWords }: Model): State['json'] {
  if (countedWords !== undefined) return { dictionaryCounts: countedWords };
  return learnedWords === undefined ? {} : { dictionary: learnedWords };
}

/** Before room is made for them: whether there are as many weights as features and labels ask for. */
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
