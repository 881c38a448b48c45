import type { Observable } from 'rxjs';
import type { Contribution } from '../../core/contribution.js';
import { TagstreamError } from '../../core/errors.js';
import { Learner } from '../../models/learner.js';
import { optimize } from '../../operators/optimize.js';
import { optimizers } from '../catalogue/optimizers.js';
import { chosenOf, oneOf } from '../one-of.js';
import { defineStage } from './stage-component.js';

export const optimizeStage = defineStage({
  name: 'optimize',
  summary: 'updates the weights by an optimizer',
  example: 'optimize: { sgd: { eta0: 0.1, l2: 0.5 } }',
  takes: ['contribution'],
  gives: 'training step',
  options: oneOf(optimizers),
  create(chosen, setup) {
    const { component, options } = chosenOf(optimizers, chosen);
    if (setup.loss === undefined) {
      throw new TagstreamError('config', 'the pipeline has no loss', {
        fix: 'put contribute before optimize',
      });
    }
    if ((component.name === 'perceptron') !== (setup.loss.name === 'perceptron')) {
      throw new TagstreamError(
        'config',
        `the optimizer ${component.name} does not go with the loss ${setup.loss.name}`,
        { fix: 'use perceptron with loss: perceptron, the others with loss: log' },
      );
    }
    const { model } = setup;
    const { kernel, parameters } = model;
    const endless = setup.train?.epochs === undefined;
    const create = (corpusSize: number) =>
      component.create(options as never, { kernel, parameters, corpusSize, endless });
    const learner = new Learner(model, setup.loss, create, setup.train?.corpusSize);
    if (setup.restored !== undefined) learner.restore(setup.restored.learner!);
    setup.learner = learner;
    return (source: Observable<Contribution>) => source.pipe(optimize(learner));
  },
});
