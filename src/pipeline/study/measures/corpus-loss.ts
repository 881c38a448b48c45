import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../core/minibatch/pack-minibatch.js';
import type { Kernel } from '../../../kernels/kernel.js';
import { Lattice } from '../../../kernels/lattice.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { contributionOf } from '../../../losses/contribution-of.js';
import type { Loss } from '../../../losses/loss.js';

const atOnce = 32;

/**
 * The sum of the losses of a corpus under some weights, without penalties. Costs a pass over the corpus.
 *
 * @throws TagstreamError `numeric` where a loss is not finite
 */
export function corpusLoss(
  kernel: Kernel,
  parameters: ParameterStore,
  corpus: readonly EncodedSentence[],
  loss: Loss,
): number {
  const lattice = new Lattice(parameters.memory, parameters.precision);
  let sum = 0;
  for (let i = 0; i < corpus.length; i += atOnce) {
    const batch = packMinibatch(corpus.slice(i, i + atOnce));
    sum += contributionOf(kernel, parameters, lattice, batch, loss).loss;
  }
  return sum;
}
