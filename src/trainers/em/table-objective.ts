import type { Plane } from '../../kernels/memory/plane.js';
import { jointLoss } from '../../losses/joint-loss.js';
import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import type { Objective } from '../objective.js';
import type { SmoothObjective } from '../space/smooth-objective.js';
import type { VectorSpace } from '../space/vector-space.js';
import type { TableParameters } from './table-parameters.js';

/**
 * The log loss of tables, -log p(y | x) = -log p(x, y) + log p(x). No pipeline file names it: its gradient leaves tables
 * no distributions where they are not parametrised.
 */
const conditionalLoss: Loss = { ...logLoss, name: 'conditional', scorers: ['hmm'] };

/**
 * The objective of `Mmi` as a function of `TableParameters`: the conditional loss, `joint` times the joint loss, and
 * minus the logarithm of the prior. Cost of an evaluation: a forward-backward pass over the corpus, and another for
 * the joint loss of what is not fully labelled.
 */
export class TableObjective implements SmoothObjective {
  evaluations = 0;
  readonly #objective: Objective;
  readonly #joint: number;
  readonly #tables: TableParameters;
  readonly #sums: Plane;
  readonly #weights: Float64Array;
  readonly #gradient: Float64Array;

  /** @param sums a plane for sums of residuals */
  constructor(objective: Objective, tables: TableParameters, joint: number, sums: Plane) {
    this.#objective = objective;
    this.#tables = tables;
    this.#joint = joint;
    this.#sums = sums;
    this.#weights = new Float64Array(objective.free.size);
    this.#gradient = new Float64Array(objective.free.size);
  }

  get space(): VectorSpace {
    return this.#objective.space;
  }

  owns(vector: Float64Array): boolean {
    return this.#objective.owns(vector);
  }

  weights(): Float64Array {
    return this.#tables.start;
  }

  place(parameters: Float64Array): void {
    this.#tables.place(parameters, this.#weights);
    this.#objective.place(this.#weights);
  }

  settle(): void {
    this.#objective.settle();
  }

  evaluate(parameters: Float64Array, gradient: Float64Array): number {
    this.evaluations += 1;
    const logPrior = this.#tables.place(parameters, this.#weights);
    this.#objective.place(this.#weights);
    this.#sums.state.view.fill(0);
    this.#sums.edges.view.fill(0);
    let value = addResiduals(this.#objective, this.#sums, conditionalLoss, 1);
    if (this.#joint > 0) {
      value += this.#joint * addResiduals(this.#objective, this.#sums, jointLoss, this.#joint);
    }
    this.#objective.free.gather(this.#sums, this.#gradient);
    this.#tables.pull(parameters, this.#gradient, gradient);
    return value - logPrior;
  }
}

/** Adds the residuals of a corpus under a loss, times a factor, to a plane; returns the loss. */
export function addResiduals(
  objective: Objective,
  sums: Plane,
  loss: Loss,
  factor: number,
): number {
  const { kernel, parameters, corpus } = objective;
  let value = 0;
  for (const minibatch of corpus) {
    const contribution = objective.contribute(minibatch, loss);
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      kernel.accumulate(parameters, sums, contribution, s, factor);
    }
    value += contribution.loss;
  }
  return value;
}
