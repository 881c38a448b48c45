import type { Observable } from 'rxjs';
import * as z from 'zod';
import type { Minibatch } from '../../core/minibatch.js';
import { contribute } from '../../operators/contribute.js';
import { losses } from '../catalogue/losses.js';
import { defineStage } from './stage-component.js';

const options = z.strictObject({
  loss: z
    .enum(losses.map(({ name }) => name))
    .default('log')
    .describe(losses.map(({ name, summary }) => `${name}: ${summary}`).join('; ')),
});

export const contributeStage = defineStage({
  name: 'contribute',
  summary: 'scores minibatches and takes the gradient of their losses',
  example: 'contribute: { loss: log }',
  takes: ['minibatch'],
  gives: 'contribution',
  options,
  create(chosen, setup) {
    setup.loss = losses.find(({ name }) => name === chosen.loss);
    return (source: Observable<Minibatch>) =>
      source.pipe(contribute(setup.learner, { predict: setup.predict }));
  },
});
