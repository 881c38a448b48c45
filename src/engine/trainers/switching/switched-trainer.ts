import { type State, stateCount, wrongState } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { countActive, norm, norm1, pseudoGradient } from '../vectors/vectors.js';
import { type OnlineOptions, OnlinePasses } from './online-passes.js';

/** The parts of a switched trainer. */
export interface SwitchOptions {
  readonly online: OnlineOptions;
  /** Number of passes of the online optimizer. */
  readonly passes: number;
  /** L1 penalty of the second phase, included in the objective reported for the passes. */
  readonly l1: number;
  /** Creates the trainer that continues from the weights in the parameters. */
  readonly create: () => Trainer;
}

/**
 * Runs an online optimizer, whose passes approach the minimum, and then a batch optimizer, which reaches
 * it from there. A pass is reported as an iteration, with the batch objective at the weights after it,
 * which costs an evaluation.
 */
export class SwitchedTrainer implements Trainer {
  readonly name = 'switch';
  readonly #options: SwitchOptions;
  readonly #objective: Objective;
  #online: OnlinePasses | undefined;
  #then: Trainer | undefined;
  #iteration = 0;

  /** @param objective the objective of the batch optimizer */
  constructor(options: SwitchOptions, objective: Objective) {
    this.#options = options;
    this.#objective = objective;
  }

  iterate(): Iteration {
    const iteration = this.#iteration + 1;
    const { passes, online, create } = this.#options;
    let done: Iteration;
    if (iteration <= passes) {
      this.#online ??= new OnlinePasses(this.#objective, online);
      this.#online.pass(iteration);
      done = this.#reported();
    } else {
      this.#online = undefined;
      this.#then ??= create();
      done = this.#then.iterate();
    }
    this.#iteration = iteration;
    return { ...done, iteration };
  }

  /** Returns the report of a pass, after evaluating the weights. */
  #reported(): Iteration {
    const objective = this.#objective;
    const { l1 } = this.#options;
    const weights = objective.weights();
    const gradient = new Float64Array(weights.length);
    const smooth = objective.evaluate(weights, gradient);
    const slopes = new Float64Array(weights.length);
    pseudoGradient(weights, gradient, l1, slopes);
    return {
      iteration: 0,
      objective: smooth + l1 * norm1(weights),
      loss: smooth - objective.penalty(weights),
      gradientNorm: norm(slopes),
      evaluations: objective.evaluations,
      active: countActive(weights),
    };
  }

  settle(): void {
    this.#objective.settle();
    this.#then?.settle?.();
  }

  release(): (() => void) | undefined {
    return this.#then?.release?.();
  }

  save(): State {
    const inner = this.#then?.save() ?? this.#online?.save();
    const { evaluations } = this.#objective;
    return {
      json: { iteration: this.#iteration, evaluations, inner: inner?.json ?? null },
      arrays: { ...inner?.arrays, 'switch.weights': this.#objective.weights() },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const { json, arrays } = state;
    const { passes, online, create } = this.#options;
    const weights = arrays['switch.weights'];
    if (!(weights instanceof Float64Array) || weights.length !== this.#objective.free.size) {
      throw wrongState('there are no weights');
    }
    this.#iteration = stateCount(state, 'iteration');
    this.#objective.place(weights);
    this.#objective.evaluations = stateCount(state, 'evaluations');
    if (this.#iteration === 0) return;
    if (typeof json.inner !== 'object' || json.inner === null) throw wrongState('no trainer');
    const inner = { json: json.inner as State['json'], arrays };
    if (this.#iteration <= passes) {
      this.#online = new OnlinePasses(this.#objective, online);
      this.#online.restore(inner);
    } else {
      this.#then = create();
      this.#then.restore(inner);
    }
  }
}
