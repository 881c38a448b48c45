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

/**
 * Puts the sum over the labels of a group in the place of the probability of each of them, where several labels are
 * reported as one. From node marginals that `forwardBackward` has filled in.
 *
 * @param groups of the labels, by number: that of the first label of the same group
 */
export function foldGroups(lattice: Lattice, s: number, groups: Int32Array): void {
  const { width, nodes } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const view = nodes.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const row = t * width;
    for (let y = 0; y < groups.length; y += 1) {
      const first = groups[y]!;
      if (first !== y) view[row + first] = view[row + first]! + view[row + y]!;
    }
    for (let y = 0; y < groups.length; y += 1) view[row + y] = view[row + groups[y]!]!;
  }
}
