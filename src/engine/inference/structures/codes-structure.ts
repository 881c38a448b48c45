import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import { rowWidth } from '../../kernels/memory/real-table.js';
import type { CodeDecoder, OutputCodes } from '../../kernels/store/label-columns.js';
import type { ParameterLayout, ParameterStore } from '../../kernels/store/parameter-store.js';
import { forwardBackward } from '../forward-backward.js';
import { type LossChain, placeColumns, type Structure } from './structure.js';

const width = rowWidth(2);
/** The lattice of one bit: labels 0 and 1. */
const shape = { labels: 2, width, matrixSize: width * width, support: undefined };

/**
 * Scores the columns of a minibatch, and fills from them the lattices `lattice.bits`, one chain of
 * two labels for each bit b of the code:
 *
 *     e^b_t(v) = s_t(2b + v),   a^b(u, v) = A(2b + u, 2b + v).
 *
 * The scores of the columns stay in `lattice.columns`. Cost O(T B) for B bits, plus that of the
 * columns. Gupta, Conditional Random Fields, section 4.1; after Cohn, Smith and Osborne (2005).
 */
function scoreBits(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  const { words } = store.layout.codes!;
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
 * Returns the chains over which a loss is summed: `l(y) = sum_b l_b(w_b(y))`, with w(y) the words
 * of the gold labels. So the chains are trained together as if separately. Needs `scoreBits` of the
 * same batch. Cost O(T B).
 */
function goldBits({ bits }: Lattice, { gold }: Minibatch, layout: ParameterLayout): LossChain[] {
  const { words } = layout.codes!;
  return bits.map((lattice, b) => ({ lattice, gold: gold.map(y => (y < 0 ? -1 : words[y]![b]!)) }));
}

/**
 * Writes the residuals of sentence `s` in the chains of all bits to the columns, which update the
 * parameters. Needs `scoreBits` of the same batch. Cost O(T B + B^2).
 */
function spreadBits(lattice: Lattice, s: number): void {
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

const codes: Structure = {
  name: 'codes',
  capabilities: ['chain recursions', 'rules', 'token features'],
  instead: 'leave codes out',
  fill: fillCodes,
  parts: { fill: scoreBits, of: goldBits },
  spread: spreadBits,
  place: placeColumns,
};

/**
 * Structures, by decoder, for labels that are words of a code, with a binary chain for each bit;
 * see `fillCodes`. Gupta, section 4.1.
 */
export const codesStructures: Readonly<Record<CodeDecoder, Structure>> = {
  product: {
    ...codes,
    capabilities: [...codes.capabilities, 'sequence scores', 'n-best', 'span probabilities'],
  },
  marginals: codes,
  hamming: codes,
};

/**
 * Opens a lattice of labels for a minibatch, and fills it from the chains of the bits, so that its best label sequence
 * is the decoder's result. With w(y) the word of label y,
 *
 *     product:    e_t(y) = sum_b e^b_t(w_b(y)),  a(y', y) = sum_b a^b(w_b(y'), w_b(y)),
 *
 * so that p(y | x) is proportional to the product of p_b(w_b(y) | x), a logarithmic opinion pool with weights of 1;
 *
 *     marginals:  e_t(y) = -sum_b |p_b(y_t = 1 | x) - w_b(y)|,   a = 0,
 *     hamming:    e_t(y) = -sum_b [v^b_t != w_b(y)],             a = 0,
 *
 * with v^b the best sequence of bit b: at each token the label with the nearest word, ties going to
 * the lowest number. Cost O(T L B), plus O(L^2 B) per minibatch for the product. Gupta, Conditional
 * Random Fields, section 4.1; after Cohn, Smith and Osborne (2005).
 */
function fillCodes(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  scoreBits(kernel, store, lattice, batch);
  const { words, decoder } = store.layout.codes!;
  const labels = words.length;
  const width = rowWidth(labels);
  lattice.open({ labels, width, matrixSize: width * width, support: undefined }, batch);
  lattice.emissionScores.view.fill(0, 0, batch.tokens * width);
  lattice.transitionScores.view.fill(0, 0, width * width);
  for (let b = 0; b < lattice.bits.length; b += 1) {
    const ones = Uint8Array.from(words, word => word[b]!);
    if (decoder === 'product') addTransitions(lattice, lattice.bits[b]!, ones);
    addScores(lattice, scoresOfBit(kernel, lattice.bits[b]!, decoder), ones);
  }
}

/** Returns the bit's scores at each token, for 0 and for 1 in turn. */
function scoresOfBit(kernel: Kernel, bit: Lattice, decoder: OutputCodes['decoder']): Float64Array {
  const { tokens, sentenceStarts } = bit.batch!;
  const { width } = bit;
  const scores = new Float64Array(2 * tokens);
  const best = new Int32Array(decoder === 'hamming' ? tokens : 0);
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    if (decoder === 'hamming') kernel.viterbi(bit, s, best);
    if (decoder === 'marginals') forwardBackward(kernel, bit, s);
  }
  const own = decoder === 'product' ? bit.emissionScores.view : bit.nodes.view;
  for (let t = 0; t < tokens; t += 1) {
    for (let v = 0; v < 2; v += 1) {
      const value = own[t * width + v]!;
      scores[2 * t + v] =
        decoder === 'product'
          ? value
          : decoder === 'marginals'
            ? value - 1
            : best[t] === v
              ? 0
              : -1;
    }
  }
  return scores;
}

function addScores(
  { emissionScores, width, labels }: Lattice,
  scores: Float64Array,
  ones: Uint8Array,
): void {
  const into = emissionScores.view;
  for (let t = 0; 2 * t < scores.length; t += 1) {
    const zero = scores[2 * t]!;
    const one = scores[2 * t + 1]!;
    const row = t * width;
    for (let y = 0; y < labels; y += 1) into[row + y]! += ones[y] === 1 ? one : zero;
  }
}

function addTransitions(
  { transitionScores, width, labels }: Lattice,
  bit: Lattice,
  ones: Uint8Array,
): void {
  const into = transitionScores.view;
  const own = bit.transitionScores.view;
  for (let from = 0; from < labels; from += 1) {
    const row = ones[from]! * bit.width;
    for (let to = 0; to < labels; to += 1) into[from * width + to]! += own[row + ones[to]!]!;
  }
}
