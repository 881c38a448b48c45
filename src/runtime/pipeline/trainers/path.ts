import * as z from 'zod';
import type { Objective } from '../../../engine/trainers/objective.js';
import { RegularisationPath } from '../../../engine/trainers/regularisation-path.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { chosenOf, oneOf } from '../options/one-of.js';
import { needsLinear, smoothLoss, worksAlone } from './trainer-traits.js';

/** A regularisation path in a pipeline file. */
export interface PathChoice {
  readonly l1: readonly number[];
  readonly with: Readonly<Record<string, unknown>>;
  readonly iterations?: number | undefined;
}

/** Returns `RegularisationPath` for pipeline files, with the given trainers that have an L1 penalty. */
export function pathOf(trainers: readonly TrainerComponent<never>[]): TrainerComponent<PathChoice> {
  const sparse = trainers.filter(({ penalty }) => penalty?.({ l1: 1 } as never)?.l1 === 1);
  const options = z.strictObject({
    l1: z
      .array(z.number().min(0))
      .min(1)
      .refine(steps => steps.every((l1, i) => i === 0 || l1 < steps[i - 1]!), {
        message: 'each penalty must be smaller than the one before',
      })
      .describe('L1 penalties, largest first; each step starts from the minimum of the one before'),
    with: oneOf(sparse)
      .prefault({ 'owl-qn': {} })
      .describe('batch optimizer of each step; the step sets its l1'),
    iterations: z.int().min(1).optional().describe('maximum number of iterations of a step'),
  });
  return {
    name: 'path',
    summary: 'a regularisation path: a batch optimizer for a sequence of L1 penalties',
    options: options as z.ZodType<PathChoice>,
    example: 'optimize: { path: { l1: [10, 3, 1, 0.3], with: { owl-qn: {} } } }',
    // That of the last step, at which the path ends.
    penalty: ({ l1, with: inner }) => {
      const { component, options } = chosenOf(sparse, inner);
      return component.penalty!({ ...options, l1: l1.at(-1) } as never);
    },
    needs: (_, loss) => smoothLoss(loss),
    oneThread: chosen => worksAlone(chosenOf(sparse, chosen.with)),
    logLinear: chosen => needsLinear(chosenOf(sparse, chosen.with)),
    create(chosen, context) {
      const { component, options } = chosenOf(sparse, chosen.with);
      // All steps have the same L2 penalty.
      let objective: Objective | undefined;
      const shared = (l2: number) => {
        objective ??= context.objective(l2);
        return objective;
      };
      return new RegularisationPath({
        l1: chosen.l1,
        iterations: chosen.iterations,
        create: l1 => component.create({ ...options, l1 } as never, { objective: shared }),
      });
    },
  };
}
