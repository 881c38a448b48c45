import type { Observable } from 'rxjs';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { parseOptions } from '../../core/schema/parse-options.js';
import { requireStructure } from '../../inference/structures/require-structure.js';
import type { LossComponent } from '../../losses/loss-component.js';
import { contribute } from '../../operators/contribute.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { chosenOf } from '../options/one-of.js';
import { contributeOptionsOf } from '../options/stage-options.js';

/** The stage `contribute` with the losses that it can name. */
export function contributeStage(losses: readonly LossComponent<never>[]): StageComponent {
  return defineStage({
    name: 'contribute',
    summary: 'scores minibatches and computes the gradient of their losses',
    example: 'contribute: { loss: log }',
    takes: ['minibatch'],
    gives: 'contribution',
    options: contributeOptionsOf(losses),
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
