import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { OutputCodes } from '../kernels/store/output-codes.js';
import type { Loss } from './loss.js';

/**
 * A loss of the chains of all bits of a code, each by itself: `l(y) = sum_b l_b(w_b(y))`, with w(y) the words of the gold
 * labels. So all chains are trained at once as each would be alone. Needs `scoreBits` of the minibatch.
 */
export class CodeLosses {
  readonly #loss: Loss;
  readonly #lattice: Lattice;
  /** The gold bits of the tokens, for each bit. */
  readonly #gold: readonly Int32Array[];
  readonly #predicted: Int32Array;

  constructor(loss: Loss, lattice: Lattice, { gold, tokens }: Minibatch, { words }: OutputCodes) {
    this.#loss = loss;
    this.#lattice = lattice;
    this.#gold = lattice.bits.map((_, b) => gold.map(y => (y < 0 ? -1 : words[y]![b]!)));
    this.#predicted = new Int32Array(loss.predicts ? tokens : 0);
  }

  /** The loss of sentence `s`; its residuals are in the lattices of the bits then. Cost: B times that of two labels. */
  apply(kernel: Kernel, s: number): number {
    const { bits } = this.#lattice;
    let sum = 0;
    for (const [b, bit] of bits.entries()) {
      sum += this.#loss.apply(kernel, bit, s, this.#gold[b]!, this.#predicted);
    }
    return sum;
  }
}
