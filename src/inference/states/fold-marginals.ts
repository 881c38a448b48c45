import type { Lattice } from '../../kernels/lattice.js';

/**
 * Puts the probability of a label in the place of those of its states, at each of them: p(y_t = y | x) is the sum over
 * the states of y. From node marginals that `forwardBackward` has filled in.
 *
 * @param states of each label, whose numbers come one after the other
 */
export function foldMarginals(lattice: Lattice, s: number, states: number): void {
  const { labels, width, nodes } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const view = nodes.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const end = t * width + labels;
    for (let label = t * width; label < end; label += states) {
      let sum = 0;
      for (let i = label; i < label + states; i += 1) sum += view[i]!;
      view.fill(sum, label, label + states);
    }
  }
}
