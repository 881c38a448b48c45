import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import { rowWidth } from '../../kernels/memory/real-table.js';
import type { LabelLayers } from '../../kernels/store/label-columns.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { loopyMarginals } from './layers/loopy-marginals.js';
import { placeColumns, type Structure } from './structure.js';

/**
 * A factorial chain: its labels have several layers, each with its own weights; see `fillLayers`.
 */
export const layersStructure: Structure = {
  name: 'layers',
  capabilities: [
    ...(['chain recursions', 'rules', 'n-best', 'span probabilities'] as const),
    ...(['approximate sums', 'token features', 'label losses', 'sequence scores'] as const),
  ],
  instead: 'leave layers out',
  fill(kernel, store, lattice, batch) {
    fillLayers(kernel, store, lattice, batch, store.layout.layers!);
  },
  spread(lattice, s, { layers }) {
    spreadLayers(lattice, s, layers!);
  },
  place: placeColumns,
  approximate(lattice, s, { layers }) {
    loopyMarginals(lattice, s, layers!);
  },
};

/**
 * Sums the label residuals of sentence `s` into the residuals of their columns, by the chain rule: `lattice.columns`
 * then holds the residuals that update the parameters. Needs `fillLayers` of the same batch. Cost O(T P + P^2).
 */
function spreadLayers(lattice: Lattice, s: number, layers: LabelLayers): void {
  const columns = lattice.columns!;
  const { sentenceStarts } = lattice.batch!;
  const labels = layers[0]?.length ?? 0;
  const start = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const own = lattice.width;
  const { width, matrixSize } = columns;
  const from = lattice.nodes.view;
  const nodes = columns.nodes.view;
  const sums = columns.transitions.view;
  const base = s * matrixSize;
  nodes.fill(0, start * width, end * width);
  sums.fill(0, base, base + matrixSize);
  for (let t = start; t < end; t += 1) {
    for (let p = 0; p < labels; p += 1) {
      const residual = from[t * own + p]!;
      if (residual === 0) continue;
      for (let k = 0; k < layers.length; k += 1) {
        const column = layers[k]![p]!;
        nodes[t * width + column]! += residual;
        for (let l = k + 1; l < layers.length; l += 1) {
          sums[base + column * width + layers[l]![p]!]! += residual;
        }
      }
    }
  }
  const edges = lattice.transitions.view;
  const [first, second, ...further] = layers as [number[], number[], ...number[][]];
  for (let p = 0; p < labels; p += 1) {
    const a = base + first[p]! * width;
    const b = base + second[p]! * width;
    const row = s * lattice.matrixSize + p * own;
    for (let q = 0; q < labels; q += 1) {
      const residual = edges[row + q]!;
      if (residual === 0) continue;
      sums[a + first[q]!]! += residual;
      sums[b + second[q]!]! += residual;
    }
    for (const layer of further) {
      const c = base + layer[p]! * width;
      for (let q = 0; q < labels; q += 1) sums[c + layer[q]!]! += edges[row + q]!;
    }
  }
}

/**
 * Opens a lattice of labels for a minibatch, and fills it with the scores of a factorial chain: with column scores e
 * and the store's transitions A, label p with columns p_1 to p_n and label q have
 *
 *     e_t(p) = sum over k of e_t(p_k) + sum over k < l of A(p_k, p_l),   A(p, q) = sum over k of A(p_k, q_k).
 *
 * So a weight between two layers at one token is stored as a transition between columns of different layers, which
 * cannot otherwise occur. The scores of the columns stay in `lattice.columns`. Cost O(n^2 T P + n P^2) plus that of
 * the columns. Sutton, Rohanimanesh and McCallum (2004).
 */
function fillLayers(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
  layers: LabelLayers,
): void {
  const labels = layers[0]?.length ?? 0;
  const own = rowWidth(labels);
  lattice.columns ??= new Lattice(lattice.memory, store.precision, lattice.keepsPairSums);
  const { columns } = lattice;
  columns.open(store, batch);
  const shape = { labels, width: own, matrixSize: own * own, support: undefined };
  lattice.open(shape, batch);
  kernel.score(store, columns);
  const from = columns.emissionScores.view;
  const into = lattice.emissionScores.view;
  const transitions = columns.transitionScores.view;
  const { width } = columns;
  const between = new Float64Array(labels);
  for (let p = 0; p < labels; p += 1) {
    for (let k = 0; k < layers.length; k += 1) {
      const square = layers[k]![p]! * width;
      for (let l = k + 1; l < layers.length; l += 1) {
        between[p]! += transitions[square + layers[l]![p]!]!;
      }
    }
  }
  const [first = [], second = [], ...further] = layers;
  const scores = new Float64Array(labels);
  for (let t = 0; t < batch.tokens; t += 1) {
    const row = t * width;
    for (let p = 0; p < labels; p += 1) {
      scores[p] = from[row + first[p]!]! + from[row + second[p]!]! + between[p]!;
    }
    for (const layer of further) {
      for (let p = 0; p < labels; p += 1) scores[p]! += from[row + layer[p]!]!;
    }
    into.set(scores, t * own);
    into.fill(0, t * own + labels, (t + 1) * own);
  }
  const matrix = lattice.transitionScores.view;
  for (let p = 0; p < labels; p += 1) {
    const a = first[p]! * width;
    const b = second[p]! * width;
    const row = p * own;
    for (let q = 0; q < labels; q += 1) {
      matrix[row + q] = transitions[a + first[q]!]! + transitions[b + second[q]!]!;
    }
    for (const layer of further) {
      const c = layer[p]! * width;
      for (let q = 0; q < labels; q += 1) matrix[row + q]! += transitions[c + layer[q]!]!;
    }
  }
}
