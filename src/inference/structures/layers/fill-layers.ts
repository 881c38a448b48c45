import type { LayerPairs } from '../../../core/layer-pairs.js';
import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import type { Kernel } from '../../../kernels/kernel.js';
import { Lattice } from '../../../kernels/lattice.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { rowWidth } from '../../../kernels/store/row-width.js';

/**
 * Opens a lattice of pairs for a minibatch, and fills it with the scores of a factorial chain: with e the scores of the
 * columns and A the transitions of the store, pair p = (a, b) and pair q = (a', b') have
 *
 *     e_t(p) = e_t(a) + e_t(b) + A(a, b),   A(p, q) = A(a, a') + A(b, b').
 *
 * So the weight of a pair at one token lies where that of a transition between columns of different layers would, which
 * there is none. The scores of the columns stay in `lattice.columns`. Cost O(T P + P^2) beside those of the columns.
 * Sutton, Rohanimanesh and McCallum (2004).
 */
export function fillLayers(
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
