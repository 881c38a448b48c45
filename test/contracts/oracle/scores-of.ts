import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { LabelLayers, LabelParts } from '../../../src/engine/kernels/store/label-columns.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import {
  type RegressionTree,
  splitOnPrevious,
} from '../../../src/engine/kernels/store/regression-tree.js';
import { SupportVectors } from '../../../src/engine/kernels/vectors/support-vectors.js';
import { valuesOf } from '../../engine/kernels/trees/random-tree.js';
import { definedScores } from '../../engine/kernels/vectors/random-vectors.js';
import type { ChainScores } from './chain-scores.js';
import { codedScores } from './coded-scores.js';
import { localScores } from './local-scores.js';

/**
 * The scores of one sentence, added up from the weights weight by weight: no packing, no slots, no
 * shortcut where a token has no edge feature.
 */
export function scoresOf(store: ParameterStore, sentence: EncodedSentence): ChainScores {
  const scores = linearScoresOf(store, sentence);
  const { scorer, layers, parts, codes } = store.layout;
  if (codes !== undefined) return codedScores(scores, codes);
  if (parts !== undefined) return partScores(scores, parts);
  if (layers !== undefined) return layerScores(scores, layers);
  if (scorer === 'memm') return localScores(scores);
  if (store.vectors instanceof SupportVectors) return withVectors(scores, store.vectors, sentence);
  return store.forest === undefined ? scores : withTrees(scores, store.forest.trees, sentence);
}

/** Scores of columns of layers: of all, their transitions, and those from one layer to another at a token. */
function layerScores({ emissions, transitions }: ChainScores, layers: LabelLayers): ChainScores {
  const labels = layers[0]!.map((_, p) => layers.map(layer => layer[p]!));
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return {
    emissions: emissions.map((row, t) =>
      labels.map(own =>
        total([
          ...own.map(a => row[a]!),
          ...own.flatMap((a, k) => own.slice(k + 1).map(b => transitions[t]![a]![b]!)),
        ]),
      ),
    ),
    transitions: transitions.map(matrix =>
      labels.map(from => labels.map(to => total(from.map((a, k) => matrix[a]![to[k]!]!)))),
    ),
  };
}

/** Scores of labels of columns: the sums over these, and over all pairs of those of neighbours. */
function partScores(
  { emissions, transitions }: ChainScores,
  { starts, columns }: LabelParts,
): ChainScores {
  const own = starts.slice(1).map((end, y) => columns.slice(starts[y], end));
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return {
    emissions: emissions.map(row => own.map(each => total(each.map(p => row[p]!)))),
    transitions: transitions.map(matrix =>
      own.map(from => own.map(to => total(from.flatMap(p => to.map(q => matrix[p]![q]!))))),
    ),
  };
}

/** The same before the scorer makes potentials of them. */
export function linearScoresOf(store: ParameterStore, sentence: EncodedSentence): ChainScores {
  const tokens = Array.from({ length: sentence.length }, (_, t) => t);
  return {
    emissions: tokens.map(t => emissionsAt(store, sentence, t)),
    transitions: tokens.map(t => transitionsAt(store, sentence, t)),
  };
}

/** With what support vectors say of each token, vector by vector. */
function withVectors(
  { emissions, transitions }: ChainScores,
  { similarity, tokens }: SupportVectors,
  { stateStarts, stateRows }: EncodedSentence,
): ChainScores {
  const added = emissions.map((scores, t) => {
    const own = stateRows.subarray(stateStarts[t]!, stateStarts[t + 1]!);
    const more = definedScores(similarity, tokens, own, scores.length);
    return scores.map((score, y) => score + more[y]!);
  });
  return { emissions: added, transitions };
}

/** With the value for each label of the leaf that a token comes to after each label, tree by tree. */
function withTrees(
  { emissions, transitions }: ChainScores,
  trees: readonly RegressionTree[],
  { stateStarts, stateRows }: EncodedSentence,
): ChainScores {
  const added = emissions.map((scores, t) => {
    const active = new Set(stateRows.subarray(stateStarts[t]!, stateStarts[t + 1]!));
    return trees
      .map(tree => valuesOf(tree, active, scores.length))
      .reduce((sums: readonly number[], values) => sums.map((x, y) => x + values[y]!), scores);
  });
  const pairs = transitions.map((matrix, t) => {
    const rows = [...stateRows.subarray(stateStarts[t]!, stateStarts[t + 1]!)];
    return matrix.map((scores, from) =>
      trees.reduce((sums, tree) => {
        const without = valuesOf(tree, new Set(rows), scores.length);
        const active = new Set([...rows, splitOnPrevious(from) - 1]);
        const values = valuesOf(tree, active, scores.length);
        return sums.map((x, y) => x + values[y]! - without[y]!);
      }, scores),
    );
  });
  return { emissions: added, transitions: pairs };
}

function emissionsAt(store: ParameterStore, sentence: EncodedSentence, t: number): number[] {
  const scores = new Array<number>(store.labels).fill(0);
  const weights = store.weights.state.view;
  for (let i = sentence.stateStarts[t]!; i < sentence.stateStarts[t + 1]!; i += 1) {
    const value = sentence.stateValues === undefined ? 1 : sentence.stateValues[i]!;
    for (let y = 0; y < store.labels; y += 1) {
      const place = store.statePlace(sentence.stateRows[i]!, y);
      if (place >= 0) scores[y]! += value * store.scale * weights[place]!;
    }
  }
  return scores;
}

function transitionsAt(store: ParameterStore, sentence: EncodedSentence, t: number): number[][] {
  const matrix: number[][] = [];
  for (let from = 0; from < store.labels; from += 1) {
    matrix.push([]);
    for (let to = 0; to < store.labels; to += 1) {
      let score = store.scale * store.weights.edges.view[from * store.width + to]!;
      for (const [feature, value] of edgeFeaturesAt(sentence, t)) {
        score += value * edgeWeight(store, feature, from, to);
      }
      matrix[from]!.push(score);
    }
  }
  return matrix;
}

function edgeFeaturesAt(sentence: EncodedSentence, t: number): [feature: number, value: number][] {
  const features: [number, number][] = [];
  if (sentence.edgeStarts === undefined) return features;
  for (let i = sentence.edgeStarts[t]!; i < sentence.edgeStarts[t + 1]!; i += 1) {
    features.push([sentence.edgeRows![i]!, sentence.edgeValues?.[i] ?? 1]);
  }
  return features;
}

/** scale * weight of (feature, from, to), from its block or from the one slot that stands for it. */
function edgeWeight(store: ParameterStore, feature: number, from: number, to: number): number {
  if (store.layout.support === 'all') {
    const at = feature * store.matrixSize + from * store.width + to;
    return store.scale * store.weights.edges.view[at]!;
  }
  const { heads, next, from: froms, to: tos } = store.pairs;
  let weight = 0;
  for (let slot = heads[feature]!; slot >= 0; slot = next[slot]!) {
    if (froms[slot] === from && tos[slot] === to) weight += store.weights.pairs.view[slot]!;
  }
  return store.scale * weight;
}
