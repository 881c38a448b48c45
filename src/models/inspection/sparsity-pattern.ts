import type { Reals } from '../../core/arrays.js';
import { FeatureNames } from '../../features/extraction/feature-names.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { edgeWeight } from './edge-weight.js';
import type { InspectedModel } from './read-inspected.js';

/** Which weights of a model are not zero. */
export interface SparsityPattern {
  readonly labels: readonly string[];
  /** `[labels x labels]` weights of the plain transitions, by the label they come from. */
  readonly transitions: Float64Array;
  /** Whether the model has plain transitions. */
  readonly hasTransitions: boolean;
  /** `[labels x labels]` how many observations have a transition of their own that is not zero. */
  readonly conditioned: Float64Array;
  /** Observations that transitions are conditioned on, and how many of them have any weight. */
  readonly observations: { readonly all: number; readonly active: number };
  readonly templates: readonly TemplatePattern[];
}

/** Active features of one template. */
export interface TemplatePattern {
  readonly template: string;
  readonly kind: 'state' | 'edge';
  /** Features that training met; 0 where the file does not say. */
  readonly met: number;
  /** Weights that are not zero, by label (of transitions, the one they lead to); empty if not known. */
  readonly labels: readonly number[];
}

/**
 * Returns the weights of a model that are not zero: transitions, those conditioned on an observation, and features
 * by template and label. Cost O(weights of transitions).
 *
 * @example
 * const learner = createLearner(createModel({ templates: 'U:%x[0,0]\nB' }), { loss: logLoss(), optimizer: sgd(), corpusSize: 1 });
 * const sentence = { tokens: ['a', 'b'], tags: ['X', 'Y'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * learner.apply(learner.contribute(packMinibatch([learner.model.encode(sentence)])));
 * sparsityPattern(readInspected(writeModel(learner))).labels // => ['X', 'Y']
 */
export function sparsityPattern({ model, notes }: InspectedModel): SparsityPattern {
  const { parameters, labels } = model;
  const { edgeRows, hasEdgeBlocks, pairs, layout } = parameters;
  const size = labels.columns;
  const transitions = new Float64Array(size * size);
  const conditioned = new Float64Array(size * size);
  for (let from = 0; from < size; from += 1) {
    for (let to = 0; to < size; to += 1) {
      transitions[from * size + to] = edgeWeight(parameters, 0, from, to);
    }
  }
  let active = 0;
  for (let row = 1; row < edgeRows; row += 1) {
    let found = false;
    const count = (from: number, to: number) => {
      if (edgeWeight(parameters, row, from, to) === 0) return;
      conditioned[from * size + to]! += 1;
      found = true;
    };
    if (hasEdgeBlocks) {
      for (let pair = 0; pair < size * size; pair += 1) count(Math.floor(pair / size), pair % size);
    } else {
      for (let pair = pairs.heads[row]!; pair >= 0; pair = pairs.next[pair]!) {
        count(pairs.from[pair]!, pairs.to[pair]!);
      }
    }
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
  };
}

/** Weights of a model that are not zero, by kind, and the features that have one. Cost O(all weights). */
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
