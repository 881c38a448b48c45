import type { Observable } from 'rxjs';
import * as z from 'zod';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { parseOptions } from '../../core/schema/parse-options.js';
import { schemaMessages } from '../../core/schema/schema-messages.js';
import { suggestion } from '../../core/schema/suggestion.js';
import { requireStructure } from '../../inference/structures/require-structure.js';
import type { LossComponent } from '../../losses/loss-component.js';
import { contribute } from '../../operators/contribute.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { chosenOf, oneOf } from '../options/one-of.js';

/** The stage `contribute` with the losses that it can name. */
export function contributeStage(losses: readonly LossComponent<never>[]): StageComponent {
  const names = losses.map(({ name }) => name);
  const described = losses.map(({ name, summary }) => `${name}: ${summary}`).join('; ');
  const withOptions = oneOf(losses);
  const options = z
    .strictObject({
      loss: z
        .union([z.enum(names), withOptions], {
          error: ({ input }) => wrongLoss(input, names, withOptions),
        })
        .default('log')
        .describe(`${described}. A loss with options: { name: { option: value } }`),
      cost: z
        .number()
        .min(0)
        .max(1000)
        .optional()
        .describe('of softmax-margin: cost of a wrong label; default: 1'),
      missCost: z
        .number()
        .min(0)
        .max(1000)
        .optional()
        .describe('of softmax-margin: cost of O at a token of a span; default: cost'),
    })
    .refine(
      ({ loss, cost, missCost }) =>
        loss === 'softmax-margin' || (cost === undefined && missCost === undefined),
      { message: 'cost and missCost are options of softmax-margin', path: ['cost'] },
    );
  return defineStage({
    name: 'contribute',
    summary: 'scores minibatches and computes the gradient of their losses',
    example: 'contribute: { loss: log }',
    takes: ['minibatch'],
    gives: 'contribution',
    options,
    create(chosen, setup) {
      const { loss, cost, missCost } = chosen;
      const given = typeof loss === 'string' ? { [loss]: { cost, missCost } } : loss;
      const { component, options: written } = chosenOf(losses, given);
      const said = Object.fromEntries(
        Object.entries(written).filter(([, value]) => value !== undefined),
      );
      if (said.missCost !== undefined) {
        requireStructure(setup.model.spec, 'label losses', 'missCost');
      }
      setup.loss = component.create(
        parseOptions(component.options, said, component.name) as never,
        {
          outside: () => setup.model.labels.find('O'),
        },
      );
      return (source: Observable<Minibatch>) =>
        source.pipe(contribute(setup.learner, { predict: setup.predict, ...setup.confidence }));
    },
  });
}

/** What is wrong with a loss: its name, or what is wrong with its options. */
function wrongLoss(input: unknown, names: readonly string[], options: z.ZodType): string {
  if (typeof input === 'object' && input !== null) {
    const issue = options.safeParse(input, { error: schemaMessages }).error?.issues[0];
    if (issue !== undefined) {
      const path = issue.path.map(String).join('.');
      return path === '' ? issue.message : `${path}: ${issue.message}`;
    }
  }
  return `there is no loss ${JSON.stringify(input)}: ${suggestion(String(input), names)}`;
}
