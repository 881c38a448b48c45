import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import { SwitchedTrainer } from '../../../engine/trainers/switching/switched-trainer.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { chosenOf, oneOf } from '../options/one-of.js';
import {
  makesOf,
  needsLinear,
  onlineLoss,
  optimizerIn,
  smoothLoss,
  worksAlone,
} from './trainer-traits.js';

/** A switch between two optimizers in a pipeline file. */
export interface SwitchChoice {
  readonly first: Readonly<Record<string, unknown>>;
  readonly epochs: number;
  readonly sentences: number;
  readonly next: Readonly<Record<string, unknown>>;
}

/** Returns `SwitchedTrainer` for pipeline files, from some of the given optimizers to some of the given trainers. */
export function switchOf(
  optimizers: readonly OptimizerComponent<never>[],
  trainers: readonly TrainerComponent<never>[],
): TrainerComponent<SwitchChoice> {
  const options = z.strictObject({
    first: oneOf(optimizers).describe('online optimizer to begin with'),
    epochs: z.int().min(1).default(1).describe('its passes; they count as iterations'),
    sentences: z.int().min(1).default(1).describe('sentences of its minibatches'),
    next: oneOf(trainers).describe('batch optimizer that continues from its weights'),
  });
  return {
    name: 'switch',
    summary: 'an online optimizer for some passes, then a batch optimizer from its weights',
    options: options as z.ZodType<SwitchChoice>,
    example: 'optimize: { switch: { first: { sgd: {} }, epochs: 2, next: { lbfgs: { l2: 1 } } } }',
    needs: (chosen, loss) => {
      const { component, options } = chosenOf(trainers, chosen.next);
      const next =
        component.needs === undefined ? smoothLoss(loss) : component.needs(options as never, loss);
      return onlineLoss(chosenOf(optimizers, chosen.first).component, loss) ?? next;
    },
    penalty: chosen => {
      const { component, options } = chosenOf(trainers, chosen.next);
      return component.penalty?.(options as never) ?? {};
    },
    oneThread: chosen => worksAlone(chosenOf(trainers, chosen.next)),
    logLinear: chosen => needsLinear(chosenOf(trainers, chosen.next)),
    refuses: ({ first, epochs }) => {
      try {
        optimizerIn(chosenOf(optimizers, first), { epochs });
      } catch (cause) {
        const { problem, fix = '' } = TagstreamError.from(cause, 'config');
        return { setting: { option: 'first' }, problem, fix };
      }
      return undefined;
    },
    makes: chosen => makesOf(chosenOf(trainers, chosen.next)),
    create(chosen, context) {
      const { epochs } = chosen;
      const first = optimizerIn(chosenOf(optimizers, chosen.first), { epochs });
      const next = chosenOf(trainers, chosen.next);
      const { l1 = 0, l2 = 0 } = next.component.penalty?.(next.options as never) ?? {};
      const objective = context.objective(l2);
      return new SwitchedTrainer(
        {
          online: {
            create: given => first.component.create(first.options as never, given),
            sentences: chosen.sentences,
            order: context.order,
          },
          passes: chosen.epochs,
          l1,
          create: () =>
            next.component.create(next.options as never, {
              ...context,
              objective: () => objective,
            }),
        },
        objective,
      );
    },
  };
}
