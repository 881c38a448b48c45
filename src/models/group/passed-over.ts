import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { unknownSentences } from '../../kernels/group/placed-corpus.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

const noReals = new Float64Array(0);

/**
 * Makes contributions of sentences that others learn from: an optimizer counts them, and there is nothing
 * to add to any row. Each is good until the next one is made.
 */
export function passedOver(store: ParameterStore): (labelled: Uint8Array) => Contribution {
  const minibatch: { -readonly [Key in keyof Minibatch]: Minibatch[Key] } = {
    sentences: unknownSentences(0),
    tokens: 0,
    sentenceStarts: new Uint32Array(1),
    stateStarts: new Uint32Array(1),
    stateRows: new Uint32Array(0),
    gold: new Int32Array(0),
    labelled: new Uint8Array(0),
  };
  const contribution: Contribution = {
    minibatch,
    width: store.width,
    matrixSize: store.matrixSize,
    residual: noReals,
    transitionResidual: noReals,
    edgeResidual: noReals,
    edgeSlots: new Int32Array(0),
    loss: 0,
    losses: noReals,
    sentenceCount: 0,
    tokenCount: 0,
    version: 0,
    assertCurrent() {},
    detach: () => contribution,
  };
  return labelled => {
    const starts = labelled.length + 1;
    if (minibatch.sentenceStarts.length < starts) {
      minibatch.sentenceStarts = new Uint32Array(2 * starts);
    }
    minibatch.labelled = labelled;
    return contribution;
  };
}
