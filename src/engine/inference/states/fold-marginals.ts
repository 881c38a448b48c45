import type { Lattice } from '../../kernels/lattice.js';

/**
 * Replaces the probability of each state by that of its label, p(y_t = y | x): the sum over the
 * label's states. Uses the node marginals of `forwardBackward`.
 *
 * @param states number of states per label, numbered consecutively
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
 * Replaces the probability of each label by its group's sum, for labels that are reported as one.
 * Uses the node marginals of `forwardBackward`.
 *
 * @param groups first label of each label's group
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
