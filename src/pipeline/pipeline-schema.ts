import * as z from 'zod';
import { sources } from './catalogue/sources.js';
import { stages } from './catalogue/stages.js';
import { checkOptions } from './checks/check-options.js';
import { deadLetterOptions } from './dead-letter-options.js';
import { modelOption } from './model-option.js';
import { oneOf } from './one-of.js';
import { sinkOptions } from './sink-options.js';
import { trainOptions } from './train-options.js';

/** A pipeline file. */
export const pipelineSchema = z.strictObject({
  version: z.literal(1).describe('version of this format'),
  name: z
    .string()
    .regex(/^[\w.-]+$/, 'letters, digits, . _ and - only')
    .describe('name of the pipeline'),
  description: z.string().optional().describe('what it is for'),
  source: oneOf(sources).describe('where records come from'),
  stages: z.array(oneOf(stages)).min(1).describe('what happens to them, in order'),
  train: trainOptions.optional().describe('how training goes over the data'),
  model: modelOption.optional().describe('model file to write after training'),
  test: oneOf(sources).optional().describe('data that the finished model is scored on'),
  checks: z
    .array(checkOptions)
    .optional()
    .describe('what the finished model has to get right: tagstream test'),
  shutdownTimeout: z
    .number()
    .positive()
    .max(86_400)
    .optional()
    .describe('seconds to end in order after SIGINT or SIGTERM, before what is left is cut off'),
  sink: sinkOptions.optional().describe('where tagged records go'),
  deadLetters: deadLetterOptions.optional().describe('what becomes of bad records'),
});

export type PipelineFile = z.output<typeof pipelineSchema>;
