import type { Lattice } from '../../kernels/lattice.js';

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
