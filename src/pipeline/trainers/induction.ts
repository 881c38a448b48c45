import * as z from 'zod';
import { logLoss } from '../../losses/log-loss.js';
import { FeatureInduction } from '../../trainers/boosting/induction/feature-induction.js';
import { onlyLoss } from '../../trainers/requirements.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { chosenOf, hasOption, oneOf } from '../options/one-of.js';

/** Feature induction in a pipeline file. */
export interface InductionChoice {
  readonly rounds: number;
  readonly add: number;
  readonly least: number;
  readonly iterations: number;
  readonly with: Readonly<Record<string, unknown>>;
}

/** `FeatureInduction` as pipeline files name it, with those of some trainers that have an L2 penalty. */
export function inductionOf(
  trainers: readonly TrainerComponent<never>[],
): TrainerComponent<InductionChoice> {
  const fitting = trainers.filter(
    ({ options, needs }) =>
      hasOption(options, 'l2') && needs?.({ l2: 1 } as never, logLoss) === undefined,
  );
  const options = z.strictObject({
    rounds: z.int().min(1).default(5).describe('rounds of adding weights'),
    add: z.int().min(1).default(1000).describe('maximum number of weights to add in a round'),
    least: z.number().min(0).default(0).describe('minimum gain of a weight to add'),
    iterations: z
      .int()
      .min(1)
      .default(10)
      .describe('maximum number of iterations between two rounds'),
    with: oneOf(fitting)
      .prefault({ lbfgs: { l2: 1 } })
      .describe('batch optimizer of the weights added so far'),
  });
  return {
    name: 'induction',
    summary:
      'feature induction: adds the weights of the features with the largest gains, round by round',
    options: options as z.ZodType<InductionChoice>,
    example:
      'featurize: { templates: ["U:%x[0,0]", "U:%x[-1,0]"], support: observed }\n- batch\n- contribute\n- optimize: { induction: { rounds: 4, add: 500, with: { lbfgs: { l2: 1 } } } }',
    needs: onlyLoss('log'),
    oneThread: () => true,
    logLinear: () => true,
    addsWeights: true,
    create({ with: inner, ...chosen }, context) {
      const { component, options: own } = chosenOf(fitting, inner);
      const { l2 } = own as { readonly l2: number };
      return new FeatureInduction(
        {
          ...{ ...chosen, l2 },
          create: objective =>
            component.create(own as never, { ...context, objective: () => objective }),
        },
        context.objective(l2),
      );
    },
  };
}
