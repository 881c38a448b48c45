import type { Observable } from 'rxjs';
import * as z from 'zod';
import type { Minibatch } from '../../core/minibatch.js';
import { SoftmaxMargin } from '../../losses/softmax-margin.js';
import { contribute } from '../../operators/contribute.js';
import { losses } from '../catalogue/losses.js';
import { defineStage } from './stage-component.js';

const options = z
  .strictObject({
    loss: z
      .enum(losses.map(({ name }) => name))
      .default('log')
      .describe(losses.map(({ name, summary }) => `${name}: ${summary}`).join('; ')),
    cost: z
      .number()
      .min(0)
      .max(1000)
      .optional()
      .describe('of softmax-margin: what a wrong label costs; 1 if nothing is said'),
    missCost: z
      .number()
      .min(0)
      .max(1000)
      .optional()
      .describe('of softmax-margin: what O costs at a token of a span; as cost if nothing is said'),
  })
  .refine(
    ({ loss, cost, missCost }) =>
      loss === 'softmax-margin' || (cost === undefined && missCost === undefined),
    { message: 'cost and missCost are options of softmax-margin', path: ['cost'] },
  );

export const contributeStage = defineStage({
  name: 'contribute',
  summary: 'scores minibatches and takes the gradient of their losses',
  example: 'contribute: { loss: log }',
  takes: ['minibatch'],
  gives: 'contribution',
  options,
  create(chosen, setup) {
    const { loss, cost, missCost } = chosen;
    setup.loss =
      loss === 'softmax-margin'
        ? new SoftmaxMargin({ cost, missCost, outside: () => setup.model.labels.find('O') })
        : losses.find(({ name }) => name === loss);
    return (source: Observable<Minibatch>) =>
      source.pipe(contribute(setup.learner, { predict: setup.predict }));
  },
});
