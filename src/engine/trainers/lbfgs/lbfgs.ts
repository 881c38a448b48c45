import * as z from 'zod';
import type { Iteration } from '../../core/training/trainer.js';
import type { SmoothObjective } from '../space/vector-space.js';
import { stoppingShape } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { type LinePoint, wolfeLineSearch } from '../wolfe-line-search.js';
import { CurvatureState, QuasiNewton } from './curvature-state.js';
import { inverseCurvature } from './inverse-curvature.js';
import { historyShape } from './limited-memory.js';

const options = z.strictObject({
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  ...historyShape,
  scaled: z
    .boolean()
    .default(false)
    .describe(
      'start from the diagonal of the curvature; helps when feature frequencies differ widely',
    ),
  ...stoppingShape,
});

/** Options of `lbfgs`, with their defaults. */
export type LbfgsOptions = z.infer<typeof options>;

/**
 * Limited-memory BFGS: steps along -H gradient that satisfy the Wolfe conditions.
 *
 *     w <- w - a H gradient,   H from the last `memory` steps and gradient differences
 *
 * H starts from the identity or, with `scaled`, from `inverseCurvature`, which needs fewer iterations
 * if some features occur at every token and others are rare. For smooth objectives. Cost: usually one
 * evaluation per iteration. Nocedal (1980); Liu and Nocedal (1989).
 */
export class Lbfgs extends QuasiNewton {
  readonly name = 'lbfgs';

  /** @param diagonal initial diagonal of H, positive; default: the identity */
  constructor(
    chosen: Omit<LbfgsOptions, 'l2' | 'scaled'>,
    objective: SmoothObjective,
    diagonal?: Float64Array,
  ) {
    super(objective, new CurvatureState(objective, chosen, undefined, diagonal));
  }

  iterate(): Iteration {
    const { at, objective } = this;
    const { space } = objective;
    at.begin();
    const { direction } = at;
    const descend = () => space.combine(direction, -1, at.gradient, 0, at.gradient, at.gradient);
    descend();
    at.memory.apply(direction);
    let slope = space.dot(direction, at.gradient);
    if (!(slope < 0)) {
      // Rounding has spoiled the curvature, so restart from steepest descent.
      at.memory.clear();
      slope = descend();
    }
    const { nextWeights, nextGradient } = at;
    const along = (step: number): LinePoint => {
      space.combine(nextWeights, 1, at.weights, step, direction);
      const value = objective.evaluate(nextWeights, nextGradient);
      return { step, value, slope: space.dot(nextGradient, direction) };
    };
    const start = { step: 0, value: at.progress.value, slope };
    const first = at.memory.isEmpty ? 1 / space.norm(direction) : 1;
    const found = slope < 0 ? wolfeLineSearch(along, start, first) : undefined;
    if (found === undefined) {
      objective.place(at.weights);
      const ending = slope < 0 ? 'precision' : 'gradient';
      return at.progress.result(at.weights, space.norm(at.gradient), ending);
    }
    at.move(found.value);
    const length = space.norm(at.gradient);
    return at.progress.result(at.weights, length, at.progress.ending(length, at.weights));
  }
}

/** The catalogue entry of `Lbfgs`. */
export const lbfgs: TrainerComponent<LbfgsOptions> = {
  name: 'lbfgs',
  summary: 'limited-memory BFGS over the whole corpus, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  example: 'optimize: { lbfgs: { l2: 1 } }',
  create: (chosen, context) => {
    const objective = context.objective(chosen.l2);
    return new Lbfgs(chosen, objective, chosen.scaled ? inverseCurvature(objective) : undefined);
  },
};
