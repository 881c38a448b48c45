import { stateArray, stateCount, stateNumber } from '../core/read-state.js';
import type { State } from '../core/state.js';
import { LimitedMemory } from './limited-memory.js';
import type { Objective } from './objective.js';
import { readPast } from './stopping-rule.js';

/** Where a quasi-Newton trainer is: weights, gradient, value, and what it knows of the curvature. */
export class CurvatureState {
  readonly memory: LimitedMemory;
  weights: Float64Array;
  /** Gradient of the smooth part. */
  gradient: Float64Array;
  /** Room for the weights and the gradient of a step that is tried, and for its direction. */
  nextWeights: Float64Array;
  nextGradient: Float64Array;
  readonly direction: Float64Array;
  /** The whole objective. */
  value = Number.NaN;
  iteration = 0;
  readonly #objective: Objective;
  /** What a trainer adds to the smooth part. */
  readonly #penalty: (weights: Float64Array) => number;

  constructor(objective: Objective, memory: number, penalty = (_: Float64Array) => 0) {
    this.#objective = objective;
    this.#penalty = penalty;
    this.memory = new LimitedMemory(memory);
    this.weights = objective.weights();
    const { length } = this.weights;
    this.gradient = new Float64Array(length);
    this.nextWeights = new Float64Array(length);
    this.nextGradient = new Float64Array(length);
    this.direction = new Float64Array(length);
  }

  /** To be called before each iteration: evaluates where nothing has been yet, and counts. */
  begin(): void {
    if (Number.isNaN(this.value)) {
      this.value =
        this.#objective.evaluate(this.weights, this.gradient) + this.#penalty(this.weights);
    }
    this.iteration += 1;
  }

  /** Goes on to `nextWeights` and `nextGradient`; the step becomes part of the memory. */
  move(value: number): void {
    const { weights, gradient, nextWeights, nextGradient } = this;
    this.memory.addMove({ from: weights, to: nextWeights }, { from: gradient, to: nextGradient });
    this.weights = nextWeights;
    this.gradient = nextGradient;
    this.nextWeights = weights;
    this.nextGradient = gradient;
    this.value = value;
  }

  save(past: readonly number[]): State {
    const { vectors } = this.memory;
    const named = vectors.map((vector, i) => [`curvature.${i}`, vector] as const);
    return {
      json: {
        value: Number.isNaN(this.value) ? null : this.value,
        iteration: this.iteration,
        evaluations: this.#objective.evaluations,
        vectors: vectors.length,
        past: [...past],
      },
      arrays: { weights: this.weights, gradient: this.gradient, ...Object.fromEntries(named) },
    };
  }

  /** Returns the past objectives that were saved. */
  restore(state: State): number[] {
    const { length } = this.weights;
    const vector = (name: string) =>
      stateArray(state, name, [Float64Array], length).slice(0, length);
    this.weights = vector('weights');
    this.gradient = vector('gradient');
    this.value = state.json.value === null ? Number.NaN : stateNumber(state, 'value');
    this.iteration = stateCount(state, 'iteration');
    this.#objective.evaluations = stateCount(state, 'evaluations');
    const count = stateCount(state, 'vectors');
    this.memory.restore(Array.from({ length: count }, (_, i) => vector(`curvature.${i}`)));
    this.#objective.place(this.weights);
    return readPast(state);
  }
}
