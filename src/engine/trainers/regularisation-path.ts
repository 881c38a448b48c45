import { kinds, requireArgument } from '../core/schema/require-argument.js';
import { type State, stateCount, wrongState } from '../core/training/state.js';
import type { Iteration, Trainer } from '../core/training/trainer.js';

/** The definition of a path. */
export interface PathOptions {
  /** L1 penalties, one per step. */
  readonly l1: readonly number[];
  /** Maximum number of iterations per step; default: until convergence. */
  readonly iterations?: number | undefined;
  /** Creates the trainer of a step, which starts from the parameters' weights. */
  readonly create: (l1: number) => Trainer;
}

/**
 * A regularisation path: minimises f(w) + l1 sum |w| for a sequence of L1 penalties, starting each from
 * the previous minimum. If the largest penalty comes first, few weights are active at any time. A step
 * ends when its trainer does.
 */
export class RegularisationPath implements Trainer {
  readonly name = 'path';
  readonly #options: PathOptions;
  #trainer: Trainer;
  /** Index of the current step, from 0. */
  #step = 0;
  #inStep = 0;
  #iteration = 0;
  /** Whether the trainer has finished its step; the trainer is kept until the next step begins. */
  #ended = false;

  constructor(options: PathOptions) {
    requireArgument('RegularisationPath: the options', options, kinds.options);
    requireArgument('RegularisationPath.create', options.create, kinds.function);
    requireArgument('RegularisationPath.l1', options.l1, kinds.list);
    this.#options = options;
    this.#trainer = options.create(options.l1[0]!);
  }

  iterate(): Iteration {
    const { l1, iterations } = this.#options;
    if (this.#ended) this.#next();
    const { ending, ...done } = this.#trainer.iterate();
    this.#iteration += 1;
    this.#inStep += 1;
    this.#ended = ending !== undefined || this.#inStep === iterations;
    const path = {
      ...{ step: this.#step + 1, of: l1.length, l1: l1[this.#step]! },
      ...{ iterations: this.#inStep, ended: this.#ended },
    };
    const result = { ...done, iteration: this.#iteration, path };
    const isLast = this.#ended && this.#step === l1.length - 1;
    return isLast ? { ...result, ending: ending ?? 'iterations' } : result;
  }

  #next(): void {
    this.#step += 1;
    this.#trainer = this.#options.create(this.#options.l1[this.#step]!);
    this.#inStep = 0;
    this.#ended = false;
  }

  settle(): void {
    this.#trainer.settle?.();
  }

  release(): (() => void) | undefined {
    return this.#trainer.release?.();
  }

  save(): State {
    const { json, arrays } = this.#trainer.save();
    return {
      json: {
        iteration: this.#iteration,
        step: this.#step,
        inStep: this.#inStep,
        ended: this.#ended,
        trainer: json,
      },
      arrays,
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const { trainer } = state.json;
    this.#iteration = stateCount(state, 'iteration');
    this.#step = stateCount(state, 'step');
    this.#inStep = stateCount(state, 'inStep');
    if (this.#step >= this.#options.l1.length) throw wrongState('the path has no such step');
    this.#ended = state.json.ended === true;
    if (typeof trainer !== 'object' || trainer === null)
      throw wrongState('there is no trainer of the step');
    this.#trainer = this.#options.create(this.#options.l1[this.#step]!);
    this.#trainer.restore({ json: trainer as State['json'], arrays: state.arrays });
  }
}
