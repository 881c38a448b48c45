import { type State, stateArray, stateCount } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { SmoothObjective } from '../space/vector-space.js';
import { type StoppingOptions, TrainerProgress } from '../stopping/trainer-progress.js';
import { savedVector } from '../vectors/vectors.js';
import { LimitedMemory } from './limited-memory.js';

/**
 * The state of a quasi-Newton trainer: weights, gradient, value, and the curvature memory.
 */
export class CurvatureState {
  readonly memory: LimitedMemory;
  readonly progress: TrainerProgress;
  weights: Float64Array;
  /** Gradient of the smooth part. */
  gradient: Float64Array;
  /** Buffers for a trial step's weights, gradient and direction. */
  nextWeights: Float64Array;
  nextGradient: Float64Array;
  readonly direction: Float64Array;
  readonly #objective: SmoothObjective;
  /** The term that the trainer adds to the smooth part. */
  readonly #penalty: (weights: Float64Array) => number;

  constructor(
    objective: SmoothObjective,
    options: StoppingOptions & { readonly memory: number },
    penalty = (_: Float64Array) => 0,
    diagonal?: Float64Array,
  ) {
    this.#objective = objective;
    this.#penalty = penalty;
    const { space } = objective;
    this.memory = new LimitedMemory(space, options.memory, diagonal);
    this.progress = new TrainerProgress(objective, options, penalty);
    this.weights = space.vector();
    this.weights.set(objective.weights());
    this.gradient = space.vector();
    this.nextWeights = space.vector();
    this.nextGradient = space.vector();
    this.direction = space.vector();
  }

  /** Evaluates if nothing was evaluated yet, and counts the iteration; call before each one. */
  begin(): void {
    const { progress, weights, gradient } = this;
    if (Number.isNaN(progress.value)) {
      progress.value = this.#objective.evaluate(weights, gradient) + this.#penalty(weights);
    }
    progress.iteration += 1;
  }

  /** Accepts `nextWeights` and `nextGradient`, and adds the step to the memory. */
  move(value: number): void {
    const { weights, gradient, nextWeights, nextGradient } = this;
    this.memory.addMove({ from: weights, to: nextWeights }, { from: gradient, to: nextGradient });
    this.weights = nextWeights;
    this.gradient = nextGradient;
    this.nextWeights = weights;
    this.nextGradient = gradient;
    this.progress.value = value;
  }

  /**
   * Frees everything needed only by further iterations; returns a function that writes the weights
   * to the parameters.
   */
  release(): () => void {
    const objective = this.#objective;
    this.memory.clear();
    objective.release?.();
    return () => objective.settle();
  }

  save(): State {
    const { vectors } = this.memory;
    const named = vectors.map(
      ({ buffer, byteOffset, byteLength }, i) =>
        [`curvature.${i}`, new Uint8Array(buffer, byteOffset, byteLength)] as const,
    );
    return {
      json: { ...this.progress.save(), vectors: vectors.length },
      arrays: { weights: this.weights, gradient: this.gradient, ...Object.fromEntries(named) },
    };
  }

  restore(state: State): void {
    const { length } = this.weights;
    this.weights.set(savedVector(state, 'weights', length));
    this.gradient.set(savedVector(state, 'gradient', length));
    this.progress.restore(state);
    const vectors = Array.from({ length: stateCount(state, 'vectors') }, (_, i) =>
      halvesOf(stateArray(state, `curvature.${i}`, [Uint8Array], 2 * length), length),
    );
    this.memory.restore(vectors);
    this.#objective.place(this.weights);
  }
}

/** Returns the 16-bit numbers in saved bytes, at any alignment. */
function halvesOf(bytes: Uint8Array, length: number): Uint16Array {
  return new Uint16Array(bytes.slice(0, 2 * length).buffer);
}

/** Common base of quasi-Newton trainers: everything except the step. */
export abstract class QuasiNewton implements Trainer {
  abstract readonly name: string;
  protected readonly objective: SmoothObjective;
  protected readonly at: CurvatureState;

  constructor(objective: SmoothObjective, at: CurvatureState) {
    this.objective = objective;
    this.at = at;
  }

  abstract iterate(): Iteration;

  settle(): void {
    this.objective.settle();
  }

  release(): () => void {
    return this.at.release();
  }

  save(): State {
    return this.at.save();
  }

  restore(state: State): void {
    this.at.restore(state);
  }
}
