import * as z from 'zod';
import { type State, stateCount, stateNumber, wrongState } from '../../core/training/state.js';
import type { Ending, Iteration } from '../../core/training/trainer.js';
import type { SmoothObjective } from '../space/vector-space.js';
import { countActive, norm } from '../vectors/vectors.js';

/** Options for ending batch training. */
export interface StoppingOptions {
  /** Gradient norm, relative to max(1, |w|), at which training has converged. */
  readonly tolerance: number;
  /** Minimum relative decrease of the objective over `period` iterations; 0 disables the check. */
  readonly decrease: number;
  readonly period: number;
}

/**
 * Decides when to stop: at |gradient| <= tolerance * max(1, |w|), or when the objective fell by less
 * than a share `decrease` of its value over the last `period` iterations.
 */
class StoppingRule {
  readonly #options: StoppingOptions;
  /** The objective after each of the last `period` iterations, oldest first. */
  #past: number[] = [];

  constructor(options: StoppingOptions) {
    this.#options = options;
  }

  /** Returns whether and why to stop; call once per iteration. */
  ending(objective: number, gradientNorm: number, weightNorm: number): Ending | undefined {
    const { tolerance, decrease, period } = this.#options;
    if (gradientNorm <= tolerance * Math.max(1, weightNorm)) return 'gradient';
    const before = this.#past.length === period ? this.#past.shift() : undefined;
    this.#past.push(objective);
    if (decrease === 0 || before === undefined) return undefined;
    return before - objective < decrease * Math.abs(objective) ? 'decrease' : undefined;
  }

  get past(): readonly number[] {
    return this.#past;
  }

  restore(past: readonly number[]): void {
    this.#past = [...past];
  }
}

/**
 * Returns the objectives that a stopping rule saved as `past`.
 *
 * @throws TagstreamError `checkpoint` if they are not numbers
 */
function readPast({ json: { past } }: State): number[] {
  if (Array.isArray(past) && past.every(value => typeof value === 'number')) return past;
  throw wrongState('past is not a list of numbers');
}

/** The progress that every trainer counts, reports and saves. */
export class TrainerProgress {
  iteration = 0;
  /** The current objective; NaN until something has been evaluated. */
  value = Number.NaN;
  readonly #objective: SmoothObjective;
  readonly #stopping: StoppingRule;
  readonly #penalty: (weights: Float64Array) => number;

  /** @param penalty penalties that the trainer adds to those of the objective */
  constructor(
    objective: SmoothObjective,
    stopping: StoppingOptions,
    penalty = (_: Float64Array) => 0,
  ) {
    this.#objective = objective;
    this.#penalty = penalty;
    this.#stopping = new StoppingRule(stopping);
  }

  /** Returns whether and why to stop at these weights; call once per iteration. */
  ending(gradientNorm: number, weights: Float64Array): Ending | undefined {
    const objective = this.#objective;
    const length = objective.owns(weights) ? objective.space.norm(weights) : norm(weights);
    return this.#stopping.ending(this.value, gradientNorm, length);
  }

  /**
   * Returns the result of the iteration.
   *
   * @param penalty penalties within the objective at these weights, unless they follow from the weights
   */
  result(
    weights: Float64Array,
    gradientNorm: number,
    ending: Ending | undefined,
    penalty = (this.#objective.penalty?.(weights) ?? 0) + this.#penalty(weights),
  ): Iteration {
    const objective = this.#objective;
    return {
      iteration: this.iteration,
      objective: this.value,
      loss: this.value - penalty,
      gradientNorm,
      evaluations: objective.evaluations,
      active: objective.owns(weights) ? objective.space.countActive(weights) : countActive(weights),
      ...(ending === undefined ? {} : { ending }),
    };
  }

  /** Returns the state to save with the trainer's own state. */
  save(): State['json'] {
    return {
      value: Number.isNaN(this.value) ? null : this.value,
      iteration: this.iteration,
      evaluations: this.#objective.evaluations,
      past: [...this.#stopping.past],
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    this.value = state.json.value === null ? Number.NaN : stateNumber(state, 'value');
    this.iteration = stateCount(state, 'iteration');
    this.#objective.evaluations = stateCount(state, 'evaluations');
    this.#stopping.restore(readPast(state));
  }
}

/** Options of trainers with a stopping rule. */
export const stoppingShape = {
  tolerance: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('convergence threshold on the relative gradient norm'),
  decrease: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('stop when the objective falls by less than this share over `period` iterations'),
  period: z.int().min(1).default(10).describe('iterations over which `decrease` is measured'),
};
