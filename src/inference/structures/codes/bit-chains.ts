import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import type { Kernel } from '../../../kernels/kernel.js';
import { Lattice } from '../../../kernels/lattice.js';
import type { OutputCodes } from '../../../kernels/store/output-codes.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { rowWidth } from '../../../kernels/store/row-width.js';

const width = rowWidth(2);
/** The lattice of one bit: labels 0 and 1. */
const shape = { labels: 2, width, matrixSize: width * width, support: undefined };

/**
 * Scores the columns of a minibatch, and makes the lattices of `lattice.bits` of them, a chain of two labels for each
 * bit b of the code:
 *
 *     e^b_t(v) = s_t(2b + v),   a^b(u, v) = A(2b + u, 2b + v).
 *
 * The scores of the columns stay in `lattice.columns`. Cost O(T B) beside those of the columns, B bits. Gupta,
 * Conditional Random Fields, section 4.1; after Cohn, Smith and Osborne (2005).
 */
export function scoreBits(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
  { words }: OutputCodes,
): void {
  lattice.columns ??= new Lattice(lattice.memory, store.precision, lattice.keepsPairSums);
  const { columns, bits } = lattice;
  columns.open(store, batch);
  kernel.score(store, columns);
  const count = words[0]?.length ?? 0;
  for (let b = 0; b < count; b += 1) {
    bits[b] ??= new Lattice(lattice.memory, store.precision, lattice.keepsPairSums);
    bits[b]!.open(shape, batch);
    copyBit(columns, bits[b]!, 2 * b, batch.tokens);
  }
  bits.length = count;
}

function copyBit(columns: Lattice, bit: Lattice, column: number, tokens: number): void {
  const from = columns.emissionScores.view;
  const into = bit.emissionScores.view;
  into.fill(0, 0, tokens * width);
  for (let t = 0; t < tokens; t += 1) {
    const at = t * columns.width + column;
    into[t * width] = from[at]!;
    into[t * width + 1] = from[at + 1]!;
  }
  const transitions = columns.transitionScores.view;
  const matrix = bit.transitionScores.view;
  matrix.fill(0, 0, shape.matrixSize);
  for (let u = 0; u < 2; u += 1) {
    for (let v = 0; v < 2; v += 1) {
      matrix[u * width + v] = transitions[(column + u) * columns.width + column + v]!;
    }
  }
}

/**
 * Puts the residuals of sentence `s` in the chains of all bits into those of the columns, which the parameters are
 * updated by. Needs `scoreBits` of the same batch. Cost O(T B + B^2).
 */
export function spreadBits(lattice: Lattice, s: number): void {
  const columns = lattice.columns!;
  const { sentenceStarts } = columns.batch!;
  const start = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const nodes = columns.nodes.view;
  nodes.fill(0, start * columns.width, end * columns.width);
  const sums = columns.transitions.view;
  const base = columns.pairSumsAt(s);
  sums.fill(0, base, base + columns.matrixSize);
  for (const [b, bit] of lattice.bits.entries()) {
    const column = 2 * b;
    const own = bit.nodes.view;
    for (let t = start; t < end; t += 1) {
      const at = t * columns.width + column;
      nodes[at] = own[t * width]!;
      nodes[at + 1] = own[t * width + 1]!;
    }
    const pairs = bit.transitions.view;
    const from = bit.pairSumsAt(s);
    for (let u = 0; u < 2; u += 1) {
      for (let v = 0; v < 2; v += 1) {
        const at = base + (column + u) * columns.width + column + v;
        sums[at] = pairs[from + u * width + v]!;
      }
    }
  }
}
