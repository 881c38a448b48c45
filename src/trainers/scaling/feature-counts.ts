import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { clearPlane, type Plane } from '../../kernels/memory/plane.js';
import type { Loss } from '../../losses/loss.js';
import type { Objective } from '../objective.js';

/** Sums how often each feature fires, as weighted by the tables that a loss leaves. */
export class FeatureCounts {
  readonly #objective: Objective;
  readonly #plane: Plane;

  constructor(objective: Objective) {
    this.#objective = objective;
    this.#plane = objective.parameters.addPlane();
  }

  /** The summed loss of some minibatches, and the counts for each free parameter into `into`. */
  sum(minibatches: readonly Minibatch[], loss: Loss, into: Float64Array): number {
    const { kernel, parameters, free } = this.#objective;
    const plane = this.#plane;
    clearPlane(plane);
    let value = 0;
    for (const minibatch of minibatches) {
      const contribution = this.#objective.contribute(minibatch, loss);
      value += contribution.loss;
      for (let s = 0; s < minibatch.sentences.length; s += 1) {
        if (minibatch.labelled[s] === 0) continue;
        kernel.accumulate(parameters, plane, contribution, s, 1, true);
      }
    }
    free.gather(plane, into);
    return value;
  }
}
