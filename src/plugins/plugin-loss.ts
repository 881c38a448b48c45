import { TagstreamError } from '../core/errors.js';
import type { Loss } from '../losses/loss.js';
import type { LossComponent } from '../losses/loss-component.js';
import type { LossDefinition } from './definitions.js';
import { optionsSchema } from './options-schema.js';
import { guarded, pluginFault } from './plugin-fault.js';

/** The loss of a plug-in as those of Tagstream are: another thread makes it from its name and options. */
export function pluginLoss(definition: LossDefinition, what: string): LossComponent<never> {
  const { name, summary, predicts = false, smooth, exclusive = false } = definition;
  const example = definition.example ?? `contribute: { loss: ${name} }`;
  const component: LossComponent<unknown> = {
    ...{ name, summary, example },
    options: optionsSchema(definition.options, what),
    create(options, context): Loss {
      const apply = guarded(what, 'config', () => definition.create(options as never, context));
      if (typeof apply !== 'function') throw noFunction(what);
      return {
        ...{ name, summary, example, predicts, smooth, exclusive, scorers: ['linear'] },
        shared: () => ({ name, options, outside: context.outside() }),
        apply(kernel, lattice, s, gold, predicted) {
          let loss: number;
          try {
            loss = apply(kernel, lattice, s, gold, predicted);
          } catch (thrown) {
            throw pluginFault(thrown, what, 'stage');
          }
          if (typeof loss === 'number') return loss;
          throw new TagstreamError(
            'stage',
            `${what} has returned a ${typeof loss} for a sentence`,
            {
              fix: 'let it return the loss of the sentence, a number',
            },
          );
        },
      };
    },
  };
  return component as unknown as LossComponent<never>;
}

function noFunction(what: string): TagstreamError {
  return new TagstreamError('config', `create of ${what} has not returned a function`, {
    fix: 'let it return (kernel, lattice, s, gold, predicted) => loss',
  });
}
