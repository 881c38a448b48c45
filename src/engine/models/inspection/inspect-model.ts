import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { type FeatureKind, FeatureNames } from '../../features/extraction/feature-names.js';
import type { Resources } from '../../features/resources/resources.js';
import { previousLabelOf, type RegressionTree } from '../../kernels/store/regression-tree.js';
import { eachStateWeight } from '../../kernels/store/weights.js';
import { SupportVectors } from '../../kernels/vectors/support-vectors.js';
import type { ModelNotes } from '../files/model-notes.js';
import type { Model } from '../model.js';
import { edgeWeight } from './edge-weight.js';
import type {
  FoundFeature,
  LabelFeatures,
  LabelSummary,
  LayerSummary,
  ListSummary,
  ModelSummary,
  ObservedTransition,
  SplitFeature,
  TemplateSummary,
  TransitionSummary,
  TreeStep,
  TreesSummary,
} from './model-summary.js';
import { type InspectedModel, readInspected } from './read-inspected.js';
import { TopList } from './top-list.js';

/** The parts of a model to show. */
export interface InspectOptions {
  /**
   * Maximum number of features per label, of observed transitions, and of features found by name.
   * Default 10.
   */
  readonly top?: number;
  /** Label to which the strongest features and observed transitions are restricted. */
  readonly label?: string;
  /** Pattern for names of further features to show. */
  readonly match?: RegExp;
  /** Feature names that replace those in the file. */
  readonly names?: ModelNotes['names'];
}

/**
 * Returns the labels, transitions, strongest features, sizes, sparsity and history of a model.
 *
 * Cost O(all weights).
 *
 * @throws TagstreamError `usage` if the model has no such label
 * @example
 * const learner = createLearner(createModel({ templates: 'U:%x[0,0]\nB' }), { loss: logLoss(), optimizer: sgd(), corpusSize: 1 });
 * const sentence = { tokens: ['a', 'b'], tags: ['X', 'Y'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * learner.apply(learner.contribute(packMinibatch([learner.model.encode(sentence)])));
 * const { labels, transitions } = inspectModel(readInspected(writeModel(learner)));
 * [labels.length, transitions[0].from, transitions[0].to] // => [2, 'X', 'Y']
 */
export function inspectModel(
  inspected: InspectedModel,
  options: InspectOptions = {},
): ModelSummary {
  requireArgument('inspectModel: the model', inspected, kinds.inspected);
  requireKnown('inspectModel', options, ['top', 'label', 'match', 'names']);
  const { model, notes, bytes } = inspected;
  const { top = 10, label, match, names = notes.names } = options;
  if (label !== undefined && model.labels.find(label) < 0) {
    throw new TagstreamError('usage', `the model has no label "${label}"`, {
      fix: `it has ${model.labels.tags.join(', ')}`,
    });
  }
  const { parameters, spec, learnedWords: words } = model;
  const counted = countState(model, top);
  const transitions = transitionsOf(model);
  const size = model.labels.columns;
  const edges = countEdges(model, { top, label, names: names.edge });
  const hasTransitions = parameters.layout.transitions;
  return {
    scheme: model.scheme,
    labels: labelsOf(model, counted.byLabel, transitions),
    sizes: {
      bytes,
      stateFeatures: counted.features,
      edgeFeatures: edges.features,
      named: names.state.size + names.edge.size,
      stateWeights: counted.weights,
      edgeWeights: edges.weights,
      transitionWeights: transitions.length,
      trainingSentences: model.corpusSize ?? null,
    },
    zeros: {
      features: share(counted.weights, counted.features * size),
      transitions: hasTransitions ? share(transitions.length, size * size) : 1,
    },
    templates: templatesOf(model, notes),
    hasTransitions,
    transitions,
    ...(edges.weights === 0 ? {} : { observedTransitions: edges.strongest }),
    features: strongest(model, counted.tops, names.state, label),
    ...(match === undefined ? {} : { found: featuresNamed(model, names, stateless(match), top) }),
    history: notes.history,
    lists: listsOf(spec.resources),
    ...(words === undefined || spec.dictionary === undefined
      ? {}
      : { dictionary: { words: words.length, minCount: spec.dictionary.minCount } }),
    ...(parameters.voters === undefined ? {} : { voters: parameters.voters.votes }),
    ...(parameters.forest === undefined
      ? {}
      : {
          trees: summarizeTrees(parameters.forest.trees, {
            ...{ top, labels: model.labels.names, names: names.state },
          }),
        }),
    ...(parameters.vectors instanceof SupportVectors
      ? { vectors: vectorsSummary(parameters.vectors) }
      : {}),
    ...(model.first === undefined ? {} : { first: { bytes: model.first.bytes.length } }),
    ...(model.bundle === undefined ? {} : { layers: layersIn(model, top) }),
    spec: withoutLists(spec),
  };
}

function layersIn({ bundle, kernel, spec }: Model, top: number): LayerSummary[] {
  return bundle!.stored.layers.map(({ column, codec, by, bytes }) => ({
    ...{ column, as: codec.name, ...(by === undefined ? {} : { by }) },
    model: inspectModel(readInspected(bytes, `<${column}>`, kernel, spec.functions), { top }),
  }));
}

function vectorsSummary({ similarity, tokens }: SupportVectors): ModelSummary['vectors'] & {} {
  return { tokens: tokens.starts.length - 1, weights: tokens.weights.length, similarity };
}

function withoutLists({ resources: _, ...spec }: Model['spec']): ModelSummary['spec'] {
  return spec;
}

/** Returns the share of zeros, given the number of nonzero values. */
function share(present: number, all: number): number {
  return all === 0 ? 0 : 1 - present / all;
}

function countState(model: Model, top: number) {
  const { parameters } = model;
  const { labels, stateRows, scale } = parameters;
  const tops = model.labels.columnNames.map(() => new TopList(top));
  const byLabel = new Array<number>(labels).fill(0);
  let features = 0;
  let weights = 0;
  for (let row = 0; row < stateRows; row += 1) {
    let present = 0;
    eachStateWeight(parameters, row, (y, weight) => {
      present += 1;
      byLabel[y]! += 1;
      tops[y]!.offer(row, scale * weight);
    });
    weights += present;
    if (present > 0) features += 1;
  }
  return { tops, byLabel, features, weights };
}

/** Observed transitions to show. */
interface ObservedOptions {
  readonly top: number;
  readonly label: string | undefined;
  readonly names: ReadonlyMap<number, string>;
}

/** Counts edge features other than the plain transitions, and finds their largest weights. */
function countEdges(model: Model, { top, label, names }: ObservedOptions) {
  const { columns, columnNames } = model.labels;
  const shown = columnNames.map((_, y) => label === undefined || isOf(model, label, y));
  const list = new TopList(top);
  let features = 0;
  let weights = 0;
  for (let row = 1; row < model.parameters.edgeRows; row += 1) {
    const before = weights;
    eachEdgeWeight(model, row, (y, z, weight) => {
      weights += 1;
      if (shown[y]! || shown[z]!) list.offer(((row - 1) * columns + y) * columns + z, weight);
    });
    if (weights > before) features += 1;
  }
  const strongest = list.ranked.map(({ key, weight }): ObservedTransition => {
    const pair = key % (columns * columns);
    const row = (key - pair) / (columns * columns);
    const name = names.get(row);
    const from = columnNames[Math.floor(pair / columns)]!;
    const to = columnNames[pair % columns]!;
    return { ...(name === undefined ? {} : { name }), row, from, to, weight };
  });
  return { features, weights, strongest };
}

/** Returns the nonzero weights of an edge feature; row 0 is the plain transitions. */
function edgeWeightsOf(model: Model, row: number): TransitionSummary[] {
  const { labels } = model;
  const found: TransitionSummary[] = [];
  eachEdgeWeight(model, row, (y, z, weight) => {
    found.push({ from: labels.columnName(y), to: labels.columnName(z), weight });
  });
  return found;
}

/** Calls `found` for each weight of an edge feature with its labels. */
function eachEdgeWeight(
  { parameters, labels }: Model,
  row: number,
  found: (from: number, to: number, weight: number) => void,
): void {
  const { pairs, hasEdgeBlocks } = parameters;
  const add = (y: number, z: number) => {
    const weight = edgeWeight(parameters, row, y, z);
    if (weight !== 0) found(y, z, weight);
  };
  if (row === 0 || hasEdgeBlocks) {
    const { columns } = labels;
    for (let y = 0; y < columns; y += 1) for (let z = 0; z < columns; z += 1) add(y, z);
  } else {
    for (let pair = pairs.heads[row]!; pair >= 0; pair = pairs.next[pair]!) {
      add(pairs.from[pair]!, pairs.to[pair]!);
    }
  }
}

function transitionsOf(model: Model): TransitionSummary[] {
  return edgeWeightsOf(model, 0).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

function labelsOf(
  model: Model,
  weights: readonly number[],
  transitions: readonly TransitionSummary[],
): LabelSummary[] {
  const out = new Map<string, number>();
  const into = new Map<string, number>();
  for (const { from, to } of transitions) {
    out.set(from, (out.get(from) ?? 0) + 1);
    into.set(to, (into.get(to) ?? 0) + 1);
  }
  return model.labels.columnNames.map((label, y) => ({
    ...{ label, weights: weights[y]!, out: out.get(label) ?? 0, in: into.get(label) ?? 0 },
  }));
}

function templatesOf(model: Model, { templates }: ModelNotes): TemplateSummary[] {
  const names = new FeatureNames(model.extractor.plan);
  const ofKind = (kind: FeatureKind) =>
    names.templates(kind).map((template, number): TemplateSummary => {
      const noted = templates?.[kind][number];
      if (noted === undefined) return { template, kind };
      const { labels: _, ...size } = noted;
      const labels = kind === 'state' ? model.labels.columns : model.labels.columns ** 2;
      return { template, kind, ...size, zeros: share(size.weights, size.met * labels) };
    });
  return [...ofKind('state'), ...ofKind('edge')];
}

function strongest(
  model: Model,
  tops: readonly TopList[],
  names: ReadonlyMap<number, string>,
  only: string | undefined,
): LabelFeatures[] {
  const features = tops.map(({ ranked }, y) => ({
    label: model.labels.columnName(y),
    features: ranked.map(({ key, weight }) => {
      const name = names.get(key);
      return { ...(name === undefined ? {} : { name }), row: key, weight };
    }),
  }));
  return only === undefined ? features : features.filter((_, column) => isOf(model, only, column));
}

/** Whether a parameter column belongs to a label: its own column, or that of one of its states, layers, parts or bits. */
function isOf({ labels }: Model, label: string, column: number): boolean {
  const { layers, parts, codes } = labels;
  const number = labels.find(label);
  if (codes !== undefined) return codes.codes.words[number]?.[column >> 1] === (column & 1);
  if (parts !== undefined) {
    const { starts, columns } = parts.parts;
    return number >= 0 && columns.slice(starts[number], starts[number + 1]).includes(column);
  }
  if (layers === undefined) return labels.name(column) === label;
  return layers.layers.some(layer => layer[number] === column);
}

/** Returns the same expression without the state of its last match. */
function stateless({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace(/[gy]/g, ''));
}

/** Returns the features whose names match, by descending weight. */
function featuresNamed(
  model: Model,
  names: ModelNotes['names'],
  match: RegExp,
  top: number,
): FoundFeature[] {
  const { parameters } = model;
  const found: FoundFeature[] = [];
  const add = (kind: FeatureKind, name: string, own: { label: string; weight: number }[]) => {
    if (own.length === 0) return;
    own.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
    found.push({ name, kind, weights: own });
  };
  for (const [row, name] of names.state) {
    if (!match.test(name)) continue;
    const own: { label: string; weight: number }[] = [];
    eachStateWeight(parameters, row, (y, weight) => {
      own.push({ label: model.labels.columnName(y), weight: parameters.scale * weight });
    });
    add('state', name, own);
  }
  for (const [row, name] of names.edge) {
    if (!match.test(name)) continue;
    const own = edgeWeightsOf(model, row + 1);
    add(
      'edge',
      name,
      own.map(({ from, to, weight }) => ({ label: `${from} -> ${to}`, weight })),
    );
  }
  const largest = ({ weights: own }: FoundFeature) => Math.abs(own[0]!.weight);
  return found.sort((a, b) => largest(b) - largest(a)).slice(0, top);
}

/**
 * Returns a model's lists, gazetteers first and word vectors last, each with its size.
 *
 * @example
 * listsOf({ gazetteers: { cities: { text: 'New York\nRome', fold: false } } })
 * // => [{ name: 'cities', kind: 'gazetteer', size: 2 }]
 */
export function listsOf({
  gazetteers = {},
  clusters = {},
  vectors = {},
}: Resources = {}): ListSummary[] {
  const listed = (kind: ListSummary['kind'], lists: Readonly<Record<string, { text: string }>>) =>
    Object.entries(lists).map(([name, { text }]) => ({ name, kind, size: lineCount(text) }));
  return [
    ...listed('gazetteer', gazetteers),
    ...listed('clusters', clusters),
    ...listed('vectors', vectors),
  ];
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** Inputs for a summary of trees. */
interface TreesOptions {
  /** Number of features to list, most useful first. */
  readonly top: number;
  readonly labels: readonly string[];
  /** Known feature names by row. */
  readonly names: ReadonlyMap<number, string>;
}

/**
 * Summarises a forest: its sizes, the features whose splits gained most, and its first tree. Cost
 * O(nodes).
 */
function summarizeTrees(
  trees: readonly RegressionTree[],
  { top, labels, names }: TreesOptions,
): TreesSummary {
  const features = new Map<number, { splits: number; gain: number }>();
  for (const { nodes, gains } of trees) {
    let split = 0;
    for (const node of nodes) {
      if (node === 0) continue;
      const known = features.get(node - 1) ?? { splits: 0, gain: 0 };
      known.splits += 1;
      known.gain += gains[split]!;
      features.set(node - 1, known);
      split += 1;
    }
  }
  const named = (row: number) => {
    const label = previousLabelOf(row + 1);
    const name = label < 0 ? names.get(row) : `previous label ${labels[label]}`;
    return name === undefined ? { row } : { name, row };
  };
  const ranked = [...features]
    .sort(([a, one], [b, other]) => other.gain - one.gain || a - b)
    .slice(0, top)
    .map(([row, counted]): SplitFeature => ({ ...named(row), ...counted }));
  const sum = (count: (tree: RegressionTree) => number) =>
    trees.reduce((all, tree) => all + count(tree), 0);
  return {
    trees: trees.length,
    leaves: sum(({ sizes }) => sizes.length),
    values: sum(({ values }) => values.length),
    features: features.size,
    splits: ranked,
    first: trees.length === 0 ? [] : stepsOf(trees[0]!, labels, named),
  };
}

/** Returns the lines of a tree's drawing, in preorder. */
function stepsOf(
  { nodes, sizes, labels: own, values }: RegressionTree,
  labels: readonly string[],
  named: (row: number) => { readonly name?: string; readonly row: number },
): TreeStep[] {
  const steps: TreeStep[] = [];
  let [node, leaf, value] = [0, 0, 0];
  const read = (depth: number, has?: boolean) => {
    const split = nodes[node]!;
    const place = { depth, ...(has === undefined ? {} : { has }) };
    node += 1;
    if (split > 0) {
      steps.push({ ...place, feature: named(split - 1) });
      read(depth + 1, false);
      read(depth + 1, true);
      return;
    }
    const end = value + sizes[leaf]!;
    const found = Array.from(own.subarray(value, end), (label, i) => ({
      label: labels[label]!,
      value: values[value + i]!,
    }));
    found.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    steps.push({ ...place, values: found });
    value = end;
    leaf += 1;
  };
  read(0);
  return steps;
}
