import type { Random } from '../../../../src/engine/core/random.js';
import type { ScorerName } from '../../../../src/engine/core/scorer.js';
import type {
  LabelLayers,
  LabelParts,
  OutputCodes,
} from '../../../../src/engine/kernels/store/label-columns.js';
import { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { Forest } from '../../../../src/engine/kernels/trees/forest.js';
import { SupportVectors } from '../../../../src/engine/kernels/vectors/support-vectors.js';
import { randomTree } from '../../../engine/kernels/trees/random-tree.js';
import { randomTokens } from '../../../engine/kernels/vectors/random-vectors.js';
import type { KernelPlace } from '../kernels/kernel-place.js';

/** Some small trees over the features of a store. */
function randomForest(random: Random, { labels, stateRows }: StoreShape): Forest {
  const trees = Array.from({ length: stateRows === 0 ? 0 : random.below(4) }, () =>
    randomTree(random, {
      ...{
        leaves: 1 + random.below(6),
        features: stateRows,
        labels,
        previous: stateRows % 2 === 0,
      },
    }),
  );
  return new Forest(trees, labels);
}

/** Some support vectors with features of a store. */
function randomVectors(random: Random, { labels, stateRows }: StoreShape): SupportVectors {
  const tokens = randomTokens(random, { tokens: random.below(5), features: stateRows, labels });
  const similarity = random.below(2) === 0 ? polynomial : { rbf: { gamma: 0.4 } };
  return new SupportVectors(similarity, tokens, labels);
}

const polynomial = { polynomial: { degree: 2, gamma: 0.5, constant: 1 } };

/** What a random store may look like. */
export interface StoreShape {
  readonly labels: number;
  /** Labels that rows are laid out for at first. */
  readonly labelCapacity: number;
  readonly stateRows: number;
  /** Beside the plain transitions. */
  readonly edgeFeatures: number;
  readonly transitions: boolean;
  readonly support: 'all' | 'observed';
  /** Weights are normal with this standard deviation. */
  readonly spread: number;
  readonly scale: number;
  /** Linear if absent. */
  readonly scorer?: ScorerName;
  /** Where labels are pairs of columns: these. */
  readonly layers?: LabelLayers;
  /** Where labels are of parts: their columns. */
  readonly parts?: LabelParts;
  /** Where labels are words of a code: these. */
  readonly codes?: OutputCodes;
}

/**
 * A store with random weights for all that is supported; where only pairs `observed` are, about half. The
 * weights are as the precision of `place` rounds them; without a place they are float64.
 */
export function randomStore(
  random: Random,
  shape: StoreShape,
  place?: KernelPlace,
): ParameterStore {
  const { labels, stateRows, transitions, support } = shape;
  const precision = place?.precision ?? 'float64';
  const scorer = shape.scorer === undefined ? {} : { scorer: shape.scorer };
  const layers = shape.layers === undefined ? {} : { layers: shape.layers };
  const parts = shape.parts === undefined ? {} : { parts: shape.parts };
  const codes = shape.codes === undefined ? {} : { codes: shape.codes };
  const layout = { transitions, support, precision, ...scorer, ...layers, ...parts, ...codes };
  const store = new ParameterStore(layout, shape.labelCapacity, place?.memory);
  store.reserve({ labels, stateRows, edgeRows: 1 + shape.edgeFeatures });
  const chosen = () => support === 'all' || random.below(2) === 0;
  const state = store.weights.state.view;
  for (let row = 0; row < stateRows; row += 1) {
    for (let y = 0; y < labels; y += 1) {
      if (!chosen()) continue;
      store.observeState(row, y);
      state[row * store.width + y] = shape.spread * random.normal();
    }
  }
  const edges = store.weights.edges.view;
  for (let feature = transitions ? 0 : 1; feature <= shape.edgeFeatures; feature += 1) {
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        if (!chosen()) continue;
        store.observeEdge(feature, from, to);
        if (feature > 0 && support === 'observed') continue;
        edges[feature * store.matrixSize + from * store.width + to] =
          shape.spread * random.normal();
      }
    }
  }
  store.fitPairs();
  const pairs = store.weights.pairs.view;
  for (let slot = 0; slot < store.pairs.size; slot += 1) {
    pairs[slot] = shape.spread * random.normal();
  }
  store.scale = shape.scale;
  if (shape.scorer === 'support-vectors') store.vectors = randomVectors(random, shape);
  if (shape.scorer === 'trees') store.forest = randomForest(random, shape);
  return store;
}
