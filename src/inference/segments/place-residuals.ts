import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Lattice } from '../../kernels/lattice.js';

/**
 * Puts the residuals of tokens, transitions and spans of all sentences where `scorePositions` took the scores from:
 * into the lattice of positions, whose features have weights.
 */
export function placeResiduals(lattice: Lattice, { sentences, sentenceStarts }: Minibatch): void {
  const { width, matrixSize, slots, positions } = lattice;
  const segments = lattice.segments!;
  const { lanes, maxLength } = segments.tables;
  const starts = positions!.batch!.sentenceStarts;
  const nodes = lattice.nodes.view;
  const placed = positions!.nodes.view;
  const spans = segments.nodes;
  const kinds = lanes.length;
  for (let s = 0; s < sentences.length; s += 1) {
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    const from = starts[s]!;
    placed.set(nodes.subarray(first * width, end * width), from * width);
    let row = (from + end - first) * width;
    placed.fill(0, row, starts[s + 1]! * width);
    let place = segments.at(first, 1);
    for (let c = 0; c < (end - first) * (maxLength + 1); c += 1) {
      for (let k = 0; k < kinds; k += 1) placed[row + lanes[k]!] = spans[place + k]!;
      place += kinds;
      row += width;
    }
  }
  const sums = sentences.length * matrixSize;
  positions!.transitions.view.set(lattice.transitions.view.subarray(0, sums));
  if (slots === 0) return;
  positions!.edges.view.set(lattice.edges.view.subarray(0, slots * matrixSize));
}

/** The labels of tokens at their positions; -1 at candidates. */
export function atPositions(
  labels: Int32Array,
  { sentenceStarts }: Minibatch,
  positions: Minibatch,
): Int32Array {
  const placed = new Int32Array(positions.tokens).fill(-1);
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    const own = labels.subarray(sentenceStarts[s]!, sentenceStarts[s + 1]!);
    placed.set(own, positions.sentenceStarts[s]!);
  }
  return placed;
}
