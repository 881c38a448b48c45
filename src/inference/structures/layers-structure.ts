import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import { rowWidth } from '../../kernels/memory/real-table.js';
import type { LayerPairs } from '../../kernels/store/label-columns.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { loopyMarginals } from './layers/loopy-marginals.js';
import { placeColumns, type Structure } from './structure.js';

/** A factorial chain: a chain of pairs of labels, whose layers have weights of their own; see `fillLayers`. */
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
 * Adds up the residuals of sentence `s` at pairs to those at their columns, by the chain rule: in `lattice.columns`,
 * which then has what the parameters are updated by. Needs `fillLayers` of the same batch. Cost O(T P + P^2).
 */
function spreadLayers(lattice: Lattice, s: number, { first, second }: LayerPairs): void {
  const columns = lattice.columns!;
  const { sentenceStarts } = lattice.batch!;
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
    for (let p = 0; p < first.length; p += 1) {
      const residual = from[t * own + p]!;
      if (residual === 0) continue;
      const a = first[p]!;
      const b = second[p]!;
      nodes[t * width + a]! += residual;
      nodes[t * width + b]! += residual;
      sums[base + a * width + b]! += residual;
    }
  }
  const edges = lattice.transitions.view;
  for (let p = 0; p < first.length; p += 1) {
    const a = base + first[p]! * width;
    const b = base + second[p]! * width;
    const row = s * lattice.matrixSize + p * own;
    for (let q = 0; q < first.length; q += 1) {
      const residual = edges[row + q]!;
      if (residual === 0) continue;
      sums[a + first[q]!]! += residual;
      sums[b + second[q]!]! += residual;
    }
  }
}

/**
 * Opens a lattice of pairs for a minibatch, and fills it with the scores of a factorial chain: with e the scores of the
 * columns and A the transitions of the store, pair p = (a, b) and pair q = (a', b') have
 *
 *     e_t(p) = e_t(a) + e_t(b) + A(a, b),   A(p, q) = A(a, a') + A(b, b').
 *
 * So the weight of a pair at one token lies where that of a transition between columns of different layers would, which
 * there is none. The scores of the columns stay in `lattice.columns`. Cost O(T P + P^2) plus that of the columns.
 * Sutton, Rohanimanesh and McCallum (2004).
 */
function fillLayers(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
  { first, second }: LayerPairs,
): void {
  const pairs = first.length;
  const own = rowWidth(pairs);
  lattice.columns ??= new Lattice(lattice.memory, store.precision, lattice.keepsPairSums);
  const { columns } = lattice;
  columns.open(store, batch);
  const shape = { labels: pairs, width: own, matrixSize: own * own, support: undefined };
  lattice.open(shape, batch);
  kernel.score(store, columns);
  const from = columns.emissionScores.view;
  const into = lattice.emissionScores.view;
  const transitions = columns.transitionScores.view;
  const { width } = columns;
  for (let t = 0; t < batch.tokens; t += 1) {
    const row = t * width;
    for (let p = 0; p < pairs; p += 1) {
      const a = first[p]!;
      const b = second[p]!;
      into[t * own + p] = from[row + a]! + from[row + b]! + transitions[a * width + b]!;
    }
    into.fill(0, t * own + pairs, (t + 1) * own);
  }
  const matrix = lattice.transitionScores.view;
  for (let p = 0; p < pairs; p += 1) {
    const a = first[p]! * width;
    const b = second[p]! * width;
    for (let q = 0; q < pairs; q += 1) {
      matrix[p * own + q] = transitions[a + first[q]!]! + transitions[b + second[q]!]!;
    }
  }
}
