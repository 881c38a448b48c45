import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import type { Random } from '../../../../src/engine/core/random.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import type { KernelPlace } from '../kernels/kernel-place.js';

/** Parameters and sentences of any size, to compare kernels by: too large for an oracle. */
export interface LargeProblem {
  readonly store: ParameterStore;
  readonly batch: Minibatch;
}

/** What a large problem looks like. */
export interface LargeShape {
  readonly labels: number;
  /** Tokens of each sentence. */
  readonly lengths: readonly number[];
  /** No score is further from 0 than this. */
  readonly bound: number;
  /** Share of the tokens that have edge features. */
  readonly edgeShare: number;
  /** Left to chance if absent. */
  readonly support?: 'all' | 'observed';
}

const stateRows = 40;
const edgeFeatures = 3;
/** Most features of a kind at a token. */
const most = 3;

/**
 * Random weights and sentences of 0 to 3 state features a token, and of 1 to 3 edge features at some
 * tokens; values, where there are any, are within 1.
 */
export function largeProblem(random: Random, shape: LargeShape, place: KernelPlace): LargeProblem {
  const scale = [1, 0.25, 1.7][random.below(3)]!;
  const store = randomWeights(random, shape, scale, place);
  store.scale = scale;
  const kinds = {
    stateValues: random.below(2) === 0,
    edgeValues: random.below(2) === 0,
  };
  const sentences = shape.lengths.map(length => sentenceOf(random, length, shape, kinds));
  return { store, batch: packMinibatch(sentences) };
}

function randomWeights(
  random: Random,
  { labels, bound, edgeShare, ...fixed }: LargeShape,
  scale: number,
  { precision, memory }: KernelPlace,
): ParameterStore {
  const support = fixed.support ?? (random.below(5) === 0 ? 'observed' : 'all');
  const store = new ParameterStore({ transitions: true, support, precision }, labels, memory);
  const edgeRows = 1 + (edgeShare > 0 ? edgeFeatures : 0);
  store.reserve({ labels, stateRows, edgeRows });
  const within = (limit: number) => ((2 * random.uniform() - 1) * limit) / scale;
  const allowed = () => support === 'all' || random.below(4) > 0;
  const { width, matrixSize } = store;
  const state = store.weights.state.view;
  for (let row = 0; row < stateRows; row += 1) {
    for (let y = 0; y < labels; y += 1) {
      if (!allowed()) continue;
      store.observeState(row, y);
      state[row * width + y] = within(bound / most);
    }
  }
  // A transition's score is the sum of its plain weight and those of its edge features.
  const edges = store.weights.edges.view;
  // To find a place in a chain of pairs costs as much as the chain is long: these stay short.
  const kept = Math.min(0.75, 200 / labels ** 2);
  for (let feature = 0; feature < edgeRows; feature += 1) {
    const chained = feature > 0 && support === 'observed';
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        if (chained ? random.uniform() > kept : !allowed()) continue;
        store.observeEdge(feature, from, to);
        if (chained) continue;
        edges[feature * matrixSize + from * width + to] = within(bound / (1 + most));
      }
    }
  }
  store.fitPairs();
  const pairs = store.weights.pairs.view;
  for (let slot = 0; slot < store.pairs.size; slot += 1) pairs[slot] = within(bound / (1 + most));
  return store;
}

function sentenceOf(
  random: Random,
  length: number,
  { labels, edgeShare }: LargeShape,
  kinds: { readonly stateValues: boolean; readonly edgeValues: boolean },
): EncodedSentence {
  const state = rowsOf(random, length, () => random.below(1 + most), 0, stateRows);
  const active = () => (random.uniform() < edgeShare ? 1 + random.below(most) : 0);
  const edges = rowsOf(random, length, active, 1, edgeFeatures);
  const values = (count: number) =>
    Float64Array.from({ length: count }, () => 2 * random.uniform() - 1);
  return {
    length,
    stateStarts: state.starts,
    stateRows: state.rows,
    ...(kinds.stateValues ? { stateValues: values(state.rows.length) } : {}),
    ...(edgeShare > 0 ? { edgeStarts: edges.starts, edgeRows: edges.rows } : {}),
    ...(edgeShare > 0 && kinds.edgeValues ? { edgeValues: values(edges.rows.length) } : {}),
    gold: Int32Array.from({ length }, () => random.below(labels)),
    sentence: {
      tokens: new Array(length).fill('w'),
      columns: {},
      document: {},
      part: { index: 0, count: 1, start: 0 },
    },
  };
}

function rowsOf(
  random: Random,
  length: number,
  active: () => number,
  first: number,
  count: number,
): { starts: Uint32Array; rows: Uint32Array } {
  const starts = new Uint32Array(length + 1);
  const rows: number[] = [];
  for (let t = 0; t < length; t += 1) {
    for (let left = active(); left > 0; left -= 1) rows.push(first + random.below(count));
    starts[t + 1] = rows.length;
  }
  return { starts, rows: Uint32Array.from(rows) };
}
