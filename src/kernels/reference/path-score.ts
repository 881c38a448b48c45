import type { Lattice } from '../lattice.js';

/** Score of one label sequence: sum of e_t(y_t) and a_t(y_{t-1}, y_t); see `Kernel.pathScore`. */
export function pathScore(lattice: Lattice, s: number, path: Int32Array): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  const scores = lattice.emissionScores.view;
  const transitions = lattice.transitionScores.view;
  const edgeScores = lattice.edgeScores.view;
  let total = scores[first * width + path[first]!]!;
  for (let t = first + 1; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    const pair = path[t - 1]! * width + path[t]!;
    total += slot < 0 ? transitions[pair]! : edgeScores[slot * matrixSize + pair]!;
    total += scores[t * width + path[t]!]!;
  }
  return total;
}
