import type { Lattice } from '../../kernels/lattice.js';

/**
 * Replaces the probabilities of a label's states by the probability of the label, at each of them: p(y_t = y | x) is
 * the sum over the states of y. Uses the node marginals of `forwardBackward`.
 *
 * @param states states per label, numbered consecutively
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
 * Replaces the probability of each label by the sum over its group, for labels that are reported as one. Uses the
 * node marginals of `forwardBackward`.
 *
 * @param groups for each label the first label of its group
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
