import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** What a step over a whole corpus says of it: sums, and no sentence of its own. */
export function summedContribution(
  { width, matrixSize, version }: ParameterStore,
  { loss, sentences, tokens }: { loss: number; sentences: number; tokens: number },
): Contribution {
  const nothing = new Float64Array(0);
  const summed: Contribution = {
    minibatch: packMinibatch([]),
    ...{ width, matrixSize, version, loss },
    residual: nothing,
    transitionResidual: nothing,
    edgeResidual: nothing,
    edgeSlots: new Int32Array(0),
    losses: nothing,
    sentenceCount: sentences,
    tokenCount: tokens,
    assertCurrent() {},
    detach: () => summed,
  };
  return summed;
}
