import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { State } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { Mixing, OptimizerContext } from '../optimizer.js';
import { copyPlane } from '../planes/planes.js';
import { type AverageOption, windowOf } from './average-option.js';
import { Averaging, deployAverage } from './averaging.js';
import { WindowAverage } from './window-average.js';

/**
 * Shared base of optimizers that can deploy an average of their weights, over all sentences or a window.
 */
export abstract class AveragedWeights {
  protected readonly context: OptimizerContext;
  /** The average over all sentences, if requested. */
  protected readonly averaging: Averaging | undefined;
  protected readonly window: WindowAverage | undefined;

  /** @param isScaled whether `ParameterStore.scale` shrinks the weights between sentences */
  constructor(context: OptimizerContext, average: AverageOption, isScaled = false) {
    this.context = context;
    const window = windowOf(average);
    this.averaging = average === true ? new Averaging(context.parameters) : undefined;
    this.window = window === undefined ? undefined : new WindowAverage(context, window, isScaled);
  }

  prepare(): void {
    this.averaging?.prepare(this.context.parameters);
    this.window?.prepare();
  }

  /**
   * Returns the averages with which a minibatch is tagged; undefined if the weights themselves are used.
   */
  served(minibatch: Minibatch): Plane | undefined {
    return this.window?.served(minibatch);
  }

  deploy(target: Plane): void {
    if (this.window !== undefined) this.window.deploy(target);
    else deployAverage(this.context.parameters, this.averaging, target);
  }

  /** Returns the parameter mixing of an optimizer with constant steps. */
  mixing(): Mixing {
    const { parameters } = this.context;
    return {
      sums: [],
      startAt() {},
      present: target => copyPlane(parameters.weights, target, parameters.scale),
      averaged: () => this.averaging?.count ?? 0,
    };
  }
}

/**
 * An optimizer without state except its weights: w += factor * gradient after each labelled sentence,
 * with an optional average of w.
 */
export abstract class AveragedSteps extends AveragedWeights {
  /** Returns the factor of a sentence's gradient; 0 skips the sentence. */
  protected abstract factor(contribution: Contribution, s: number): number;

  apply(contribution: Contribution): void {
    const { kernel, parameters } = this.context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      this.window?.before(contribution.minibatch, s);
      const factor = this.factor(contribution, s);
      if (factor !== 0) kernel.accumulate(parameters, parameters.weights, contribution, s, factor);
      this.averaging?.follow(kernel, parameters, contribution, s, factor);
      this.window?.after();
    }
    parameters.version += 1;
  }

  save(): State {
    return (this.averaging ?? this.window)?.save() ?? { json: {}, arrays: {} };
  }

  restore(state: State): void {
    (this.averaging ?? this.window)?.restore(state);
  }
}
