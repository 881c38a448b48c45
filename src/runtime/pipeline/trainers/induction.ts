import * as z from 'zod';
import type { Minibatch } from '../../../engine/core/minibatch/minibatch.js';
import { logLoss } from '../../../engine/losses/log-loss.js';
import type { Model } from '../../../engine/models/model.js';
import { FeatureInduction } from '../../../engine/trainers/boosting/induction/feature-induction.js';
import { onlyLoss } from '../../../engine/trainers/requirements.js';
import type { FeatureParts, TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { chosenOf, oneOf } from '../options/one-of.js';

/** Feature induction in a pipeline file. */
export interface InductionChoice {
  readonly rounds: number;
  readonly add: number;
  readonly least: number;
  readonly iterations: number;
  readonly singleRounds: number;
  readonly conjoin: 'all' | 'added';
  readonly unsure: number;
  readonly with: Readonly<Record<string, unknown>>;
}

/**
 * Returns the parts of a model's conjunctions, found by template: `A&B` is active where A and B are. Cost: one
 * extraction of the corpus.
 */
export function featureParts(model: Model, corpus: readonly Minibatch[]): FeatureParts {
  const { extractor, stateIndex, parameters } = model;
  const sources = extractor.plan.state.map(({ template }) => template.source);
  const numbers = new Map(sources.map((source, number) => [source, number]));
  const pairs = sources.map((source, number) => {
    for (let at = source.indexOf('&'); at >= 0; at = source.indexOf('&', at + 1)) {
      const [first, second] = [numbers.get(source.slice(0, at)), numbers.get(source.slice(at + 1))];
      if (first !== undefined && second !== undefined) return [first, second] as const;
    }
    return [number, number] as const;
  });
  const parts = new Int32Array(2 * parameters.stateRows).fill(-1);
  const active = new Int32Array(sources.length);
  for (const { sentence, length } of corpus.flatMap(({ sentences }) => sentences)) {
    extractor.open(sentence);
    const { starts, rows, templates } = extractor.locate('state', length, stateIndex);
    for (let t = 0; t < length; t += 1) {
      active.fill(-1);
      for (let k = starts[t]!; k < starts[t + 1]!; k += 1) active[templates[k]!] = rows[k]!;
      for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
        const [first, second] = pairs[templates[k]!]!;
        parts[2 * rows[k]!] = active[first]!;
        parts[2 * rows[k]! + 1] = active[second]!;
      }
    }
  }
  return parts;
}

/** Returns `FeatureInduction` for pipeline files, with the given trainers that have an L2 penalty. */
export function inductionOf(
  trainers: readonly TrainerComponent<never>[],
): TrainerComponent<InductionChoice> {
  const fitting = trainers.filter(
    ({ penalty, needs }) =>
      penalty?.({ l2: 1 } as never)?.l2 === 1 && needs?.({ l2: 1 } as never, logLoss) === undefined,
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
    singleRounds: z
      .int()
      .min(0)
      .default(0)
      .describe('number of first rounds that add no conjunctions, the single features alone'),
    conjoin: z
      .enum(['all', 'added'])
      .default('all')
      .describe('conjunctions to consider: all, or those of two features that both have a weight'),
    unsure: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe(
        'consider only tokens whose correct label has at most this probability: 0.5 includes every token whose most probable label is wrong',
      ),
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
    penalty: ({ with: inner }) => {
      const { component, options: own } = chosenOf(fitting, inner);
      return component.penalty!(own as never);
    },
    needs: onlyLoss('log'),
    oneThread: () => true,
    logLinear: () => true,
    addsWeights: true,
    create({ with: inner, conjoin, ...chosen }, context) {
      const { component, options: own } = chosenOf(fitting, inner);
      const { l2 = 0 } = component.penalty!(own as never);
      return new FeatureInduction(
        {
          ...{ ...chosen, l2, added: conjoin === 'added' },
          ...(context.parts === undefined ? {} : { parts: context.parts }),
          create: objective =>
            component.create(own as never, { ...context, objective: () => objective }),
        },
        context.objective(l2),
      );
    },
  };
}
