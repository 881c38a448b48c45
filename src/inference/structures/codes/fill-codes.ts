import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import type { Kernel } from '../../../kernels/kernel.js';
import type { Lattice } from '../../../kernels/lattice.js';
import type { OutputCodes } from '../../../kernels/store/output-codes.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { rowWidth } from '../../../kernels/store/row-width.js';
import { forwardBackward } from '../../forward-backward.js';
import { scoreBits } from './bit-chains.js';

/**
 * Opens a lattice of labels for a minibatch, and fills it with what the chains of the bits say of them: the best label
 * sequence of the lattice is what the decoder of the code finds. With w(y) the word of label y,
 *
 *     product:    e_t(y) = sum_b e^b_t(w_b(y)),  a(y', y) = sum_b a^b(w_b(y'), w_b(y)),
 *
 * so that p(y | x) is proportional to the product of p_b(w_b(y) | x), a logarithmic opinion pool with weights of 1;
 *
 *     marginals:  e_t(y) = -sum_b |p_b(y_t = 1 | x) - w_b(y)|,   a = 0,
 *     hamming:    e_t(y) = -sum_b [v^b_t != w_b(y)],             a = 0,
 *
 * with v^b the best sequence of bit b: the label whose word is nearest at each token, of those that are as near the one
 * with the lowest number. Cost O(T L B), and O(L^2 B) a minibatch for the product. Gupta, Conditional Random Fields,
 * section 4.1; after Cohn, Smith and Osborne (2005).
 */
export function fillCodes(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
  codes: OutputCodes,
): void {
  scoreBits(kernel, store, lattice, batch, codes);
  const { words, decoder } = codes;
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

/** What a bit says for 0 and for 1 at each token, one after the other. */
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
