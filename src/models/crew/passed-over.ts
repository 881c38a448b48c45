import type { Contribution } from '../../core/contribution.js';
import { unknownSentences } from '../../kernels/crew/placed-corpus.js';
import type { ParameterStore } from '../../kernels/parameter-store.js';

const noReals = new Float64Array(0);

/** Sentences that others learn from: an optimizer counts them, and there is nothing to add to any row. */
export function passedOver(labelled: Uint8Array, store: ParameterStore): Contribution {
  const contribution: Contribution = {
    minibatch: {
      sentences: unknownSentences(labelled.length),
      tokens: 0,
      sentenceStarts: new Uint32Array(labelled.length + 1),
      stateStarts: new Uint32Array(1),
      stateRows: new Uint32Array(0),
      gold: new Int32Array(0),
      labelled,
    },
    width: store.width,
    matrixSize: store.matrixSize,
    residual: noReals,
    transitionResidual: noReals,
    edgeResidual: noReals,
    edgeSlots: new Int32Array(0),
    loss: 0,
    losses: noReals,
    sentenceCount: labelled.length,
    tokenCount: 0,
    version: store.version,
    assertCurrent() {},
    detach: () => contribution,
  };
  return contribution;
}
