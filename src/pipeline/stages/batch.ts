import * as z from 'zod';
import { batch } from '../../operators/batch.js';
import { defineStage } from './stage-component.js';

const options = z.strictObject({
  sentences: z.int().min(1).optional().describe('most sentences in a minibatch'),
  tokens: z.int().min(1).optional().describe('most tokens in a minibatch'),
  milliseconds: z
    .int()
    .min(1)
    .optional()
    .describe('flush an unfinished minibatch after this time; only for tagging'),
});

export const batchStage = defineStage({
  name: 'batch',
  summary: 'packs sentences into minibatches, one sentence each if nothing is said',
  example: 'batch: { sentences: 8 }',
  takes: ['encoded sentence'],
  gives: 'minibatch',
  options,
  create: chosen =>
    batch({
      ...(chosen.sentences === undefined ? {} : { sentences: chosen.sentences }),
      ...(chosen.tokens === undefined ? {} : { tokens: chosen.tokens }),
      ...(chosen.milliseconds === undefined ? {} : { milliseconds: chosen.milliseconds }),
    }),
});
