import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

const none = new Float64Array(0);

/**
 * A minibatch that is learned from sentence by sentence, when it is applied: losses and best labels are
 * there afterwards, residuals never.
 */
export class RoundContribution implements Contribution {
  readonly minibatch: Minibatch;
  readonly width: number;
  readonly matrixSize: number;
  readonly residual = none;
  readonly transitionResidual = none;
  readonly edgeResidual = none;
  readonly edgeSlots = new Int32Array(0);
  readonly sentenceCount: number;
  readonly tokenCount: number;
  readonly version: number;
  readonly predicts: boolean;
  losses: Float64Array = none;
  loss = 0;
  declare predicted?: Int32Array;
  declare predictedScores?: Float64Array;

  constructor(minibatch: Minibatch, store: ParameterStore, predicts: boolean) {
    this.minibatch = minibatch;
    this.width = store.width;
    this.matrixSize = store.matrixSize;
    this.version = store.version;
    this.predicts = predicts;
    const { labelled, sentenceStarts } = minibatch;
    let sentences = 0;
    let tokens = 0;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      sentences += 1;
      tokens += sentenceStarts[s + 1]! - sentenceStarts[s]!;
    }
    this.sentenceCount = sentences;
    this.tokenCount = tokens;
  }

  assertCurrent(): void {}

  detach(): Contribution {
    return this;
  }
}
