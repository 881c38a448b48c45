import type { Reals } from '../../core/arrays.js';
import { FeatureNames } from '../../features/extraction/feature-names.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { eachEdgeWeight, eachStateWeight } from '../../kernels/store/weights.js';
import type { InspectedModel } from './read-inspected.js';

/** The nonzero weights of a model. */
export interface SparsityPattern {
  readonly labels: readonly string[];
  /** `[labels x labels]` weights of the plain transitions, by source label. */
  readonly transitions: Float64Array;
  /** Whether the model has plain transitions. */
  readonly hasTransitions: boolean;
  /** `[labels x labels]` number of observations with a nonzero conditioned transition. */
  readonly conditioned: Float64Array;
  /** Number of observations that condition transitions, and of those among them with any weight. */
  readonly observations: { readonly all: number; readonly active: number };
  readonly templates: readonly TemplatePattern[];
  /**
   * Features with a weight, if they are few and all have names; features that depend only on a label come
   * first.
   */
  readonly features: readonly FeaturesPattern[];
}

/** Weights of the features of one kind, by label. */
export interface FeaturesPattern {
  readonly kind: 'state' | 'edge';
  readonly names: readonly string[];
  /**
   * `[names x labels]` weights; for edge features, the number of transitions to the label with a
   * weight.
   */
  readonly values: Float64Array;
}

/** Maximum number of features shown individually. */
const mostFeatures = 80;

/** Active features of one template. */
export interface TemplatePattern {
  readonly template: string;
  readonly kind: 'state' | 'edge';
  /** Number of features seen in training; 0 if the file does not contain it. */
  readonly met: number;
  /** Number of nonzero weights by label (for transitions, by target label); empty if unknown. */
  readonly labels: readonly number[];
}

/**
 * Returns the nonzero weights of a model: transitions, transitions conditioned on an observation, and features by template and
 * label. Cost O(transition weights).
 *
 * @example
 * const learner = createLearner(createModel({ templates: 'U:%x[0,0]\nB' }), { loss: logLoss(), optimizer: sgd(), corpusSize: 1 });
 * const sentence = { tokens: ['a', 'b'], tags: ['X', 'Y'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * learner.apply(learner.contribute(packMinibatch([learner.model.encode(sentence)])));
 * sparsityPattern(readInspected(writeModel(learner))).labels // => ['X', 'Y']
 */
export function sparsityPattern({ model, notes }: InspectedModel): SparsityPattern {
  const { parameters, labels } = model;
  const { edgeRows, layout, scale } = parameters;
  const size = labels.columns;
  const transitions = new Float64Array(size * size);
  const conditioned = new Float64Array(size * size);
  eachEdgeWeight(parameters, 0, (from, to, weight) => {
    transitions[from * size + to] = scale * weight;
  });
  let active = 0;
  for (let row = 1; row < edgeRows; row += 1) {
    let found = false;
    eachEdgeWeight(parameters, row, (from, to) => {
      conditioned[from * size + to]! += 1;
      found = true;
    });
    if (found) active += 1;
  }
  const names = new FeatureNames(model.extractor.plan);
  const templates = (['state', 'edge'] as const).flatMap(kind =>
    names.templates(kind).map((template, number): TemplatePattern => {
      const noted = notes.templates?.[kind][number];
      return { template, kind, met: noted?.met ?? 0, labels: noted?.labels ?? [] };
    }),
  );
  return {
    labels: labels.columnNames,
    transitions,
    hasTransitions: layout.transitions,
    conditioned,
    observations: { all: edgeRows - 1, active },
    templates,
    features: (['state', 'edge'] as const).flatMap(
      kind => featuresPattern(model, kind, notes.names[kind]) ?? [],
    ),
  };
}

/**
 * Returns the pattern of named features; undefined if there are none, too many, or some without a
 * name.
 */
function featuresPattern(
  { parameters, labels }: InspectedModel['model'],
  kind: 'state' | 'edge',
  known: ReadonlyMap<number, string>,
): FeaturesPattern | undefined {
  const size = labels.columns;
  const { scale, stateRows, edgeRows } = parameters;
  const rows: { readonly name: string; readonly values: Float64Array }[] = [];
  const end = kind === 'state' ? stateRows : edgeRows;
  // Row 0 of edge features is the plain transitions; names are numbered without this row.
  const first = kind === 'state' ? 0 : 1;
  for (let row = first; row < end; row += 1) {
    const values = new Float64Array(size);
    if (kind === 'state') {
      eachStateWeight(parameters, row, (label, weight) => {
        values[label] = scale * weight;
      });
    } else {
      eachEdgeWeight(parameters, row, (_, to) => {
        values[to]! += 1;
      });
    }
    if (values.every(value => value === 0)) continue;
    const name = known.get(row - first);
    if (name === undefined || rows.length === mostFeatures) return undefined;
    rows.push({ name, values });
  }
  if (rows.length === 0) return undefined;
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  const values = new Float64Array(rows.length * size);
  for (const [i, row] of rows.entries()) values.set(row.values, i * size);
  return { kind, names: rows.map(({ name }) => name), values };
}

/**
 * Finds the nonzero weights of a model by kind, and the features that have one. Cost O(all
 * weights).
 */
export function activeWeights({ weights, matrixSize, width, pairs }: ParameterStore) {
  const unigram = nonZero(weights.state.view);
  const transitions = nonZero(weights.edges.view.subarray(0, matrixSize));
  const edges = nonZero(weights.edges.view.subarray(matrixSize)) + nonZero(weights.pairs.view);
  const bigram = transitions + edges;
  let features = nonZeroRows(weights.state.view, 0, width);
  features += nonZeroRows(weights.edges.view, matrixSize, matrixSize);
  for (const head of pairs.heads) {
    let pair = head;
    while (pair >= 0 && weights.pairs.view[pair] === 0) pair = pairs.next[pair]!;
    if (pair >= 0) features += 1;
  }
  return { unigram, transitions, edges, bigram, active: unigram + bigram, features };
}

function nonZeroRows(numbers: Reals, from: number, size: number): number {
  let count = 0;
  for (let row = from; row < numbers.length; row += size) {
    if (nonZero(numbers.subarray(row, row + size)) > 0) count += 1;
  }
  return count;
}

function nonZero(numbers: Reals): number {
  let count = 0;
  for (let i = 0; i < numbers.length; i += 1) if (numbers[i] !== 0) count += 1;
  return count;
}
