import * as z from 'zod';
import type { Iteration } from '../../core/training/trainer.js';
import type { SmoothObjective } from '../space/vector-space.js';
import { stoppingShape } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { negateInto, norm, norm1, pseudoGradient } from '../vectors/vectors.js';
import { CurvatureState, QuasiNewton } from './curvature-state.js';
import { historyShape } from './limited-memory.js';
import { boundedSlopes, SplitObjective } from './split-objective.js';

const options = z.strictObject({
  l1: z.number().min(0).default(1).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(0).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  ...historyShape,
  split: z
    .boolean()
    .default(false)
    .describe(
      'split each weight into two parts that must not be negative, with the same minimum; for comparison',
    ),
  ...stoppingShape,
});

/** Options of `owlQn`, with their defaults. */
export type OwlQnOptions = z.infer<typeof options>;

const sufficientDecrease = 1e-4;
const mostHalvings = 60;

/**
 * Orthant-wise limited-memory quasi-Newton, for L1 and elastic net:
 *
 *     minimise f(w) + l1 * sum |w|
 *
 * The direction is -H times the pseudo-gradient, with H from the smooth part only; components that disagree with the
 * negative pseudo-gradient are dropped, and a weight that would change sign is set to zero. Steps are halved until the
 * objective falls enough. Andrew and Gao (2007).
 *
 * With `split` the same steps are projected steps on the smooth function of `SplitObjective` with non-negative weights: the
 * orthant is the positive one, and H covers twice as many weights.
 */
export class OwlQn extends QuasiNewton {
  readonly name = 'owl-qn';
  /** L1 penalty; 0 if the objective includes it. */
  readonly #l1: number;
  readonly #split: boolean;
  readonly #slopesThere: Float64Array;

  constructor(chosen: OwlQnOptions, whole: SmoothObjective) {
    const { split } = chosen;
    const objective = split ? new SplitObjective(whole, chosen.l1) : whole;
    const l1 = split ? 0 : chosen.l1;
    super(objective, new CurvatureState(objective, chosen, weights => l1 * norm1(weights)));
    this.#l1 = l1;
    this.#split = split;
    this.#slopesThere = new Float64Array(this.at.weights.length);
  }

  iterate(): Iteration {
    const { at } = this;
    at.begin();
    const slopes = this.#slopes();
    const { direction } = at;
    negateInto(slopes, direction);
    at.memory.apply(direction);
    for (let i = 0; i < direction.length; i += 1) {
      if (direction[i]! * slopes[i]! >= 0) direction[i] = 0;
    }
    const first = at.memory.isEmpty ? 1 / Math.max(norm(direction), 1e-300) : 1;
    const found = this.#search(direction, slopes, first);
    if (found === undefined) {
      this.objective.place(at.weights);
      const left = norm(slopes);
      return at.progress.result(at.weights, left, left === 0 ? 'gradient' : 'precision');
    }
    at.move(found);
    const length = norm(this.#slopes());
    return at.progress.result(at.weights, length, at.progress.ending(length, at.weights));
  }

  /**
   * Returns the objective at the first of the steps `first`, `first`/2, ... that lowers it enough; undefined if none does.
   */
  #search(direction: Float64Array, slopes: Float64Array, first: number): number | undefined {
    const { at } = this;
    const { nextWeights, nextGradient } = at;
    let step = first;
    for (let halvings = 0; halvings < mostHalvings; halvings += 1) {
      let slope = 0;
      for (let i = 0; i < nextWeights.length; i += 1) {
        const w = at.weights[i]!;
        const moved = w + step * direction[i]!;
        const orthant = w === 0 ? -slopes[i]! : w;
        nextWeights[i] = moved * orthant > 0 ? moved : 0;
        slope += slopes[i]! * (nextWeights[i]! - w);
      }
      if (slope >= 0) return undefined;
      const value =
        this.objective.evaluate(nextWeights, nextGradient) + this.#l1 * norm1(nextWeights);
      // The difference of two large numbers is less precise than their slope.
      if (this.#split && value === at.progress.value) return undefined;
      if (value <= at.progress.value + sufficientDecrease * slope) return value;
      step /= 2;
    }
    return undefined;
  }

  /** Returns the pseudo-gradient at the current weights. */
  #slopes(): Float64Array {
    const { weights, gradient } = this.at;
    if (this.#split) boundedSlopes(weights, gradient, this.#slopesThere);
    else pseudoGradient(weights, gradient, this.#l1, this.#slopesThere);
    return this.#slopesThere;
  }
}

/** The catalogue entry of `OwlQn`. */
export const owlQn: TrainerComponent<OwlQnOptions> = {
  name: 'owl-qn',
  summary: 'quasi-Newton over the whole corpus with L1 and L2, for sparse models',
  options,
  penalty: ({ l1, l2 }) => ({ l1, l2 }),
  example: 'optimize: { owl-qn: { l1: 1 } }',
  create: (chosen, context) => new OwlQn(chosen, context.objective(chosen.l2)),
};
