import type { Observable } from 'rxjs';
import * as z from 'zod';
import type { Minibatch } from '../../core/minibatch.js';
import type { TrainingStep } from '../../core/training-step.js';
import { tag } from '../../operators/tag.js';
import { defineStage } from './stage-component.js';

const options = z.strictObject({
  decoding: z
    .enum(['viterbi', 'posterior'])
    .default('viterbi')
    .describe('the best tag sequence, or the best tag of each token'),
  marginals: z.boolean().default(false).describe('add the probability of each tag'),
  scores: z.boolean().default(false).describe('add the score of each sentence'),
});

export const tagStage = defineStage({
  name: 'tag',
  summary: 'tags sentences; after optimize, as they were predicted before they were learned from',
  example: 'tag: { marginals: true }',
  takes: ['minibatch', 'training step'],
  gives: 'tagged sentence',
  options,
  create(chosen, setup) {
    setup.predict = true;
    setup.scores = chosen.scores;
    const { decoding, marginals } = chosen;
    return (source: Observable<Minibatch | TrainingStep>) =>
      source.pipe(tag(setup.model, { decoding, marginals }));
  },
});
