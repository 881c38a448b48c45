import * as z from 'zod';
import { onResume } from '../../../engine/core/schema/on-resume.js';
import { checkOptions } from '../definition/check-options.js';
import { challengeOptions } from '../options/challenge-options.js';
import { columnsOptionOf } from '../options/column-options.js';
import { deadLetterOptions } from '../options/dead-letter-options.js';
import { deployOption } from '../options/deploy-options.js';
import { modelOption } from '../options/model-option.js';
import { oneOf } from '../options/one-of.js';
import { sinkOptionsOf } from '../options/sink-options.js';
import { trainOptions } from '../options/train-options.js';
import { builtIn, type Catalogue } from './catalogue.js';

/** Returns the schema of a pipeline file with the components that it can name. */
export const pipelineSchemaOf = ({
  sources,
  stages,
  transports,
  optimizers,
  trainers,
}: Catalogue) =>
  z.strictObject({
    version: z.literal(1).describe('version of this format'),
    name: z
      .string()
      .regex(/^[\w.-]+$/, 'a name has letters, digits, . _ and - only')
      .describe('name of the pipeline'),
    description: onResume('observation', z.string().optional().describe('what it is for')),
    use: z
      .optional(z.array(z.string().min(1)))
      .describe(
        'packages and files with third-party components: packages are resolved from the folder of this file, paths are relative to it',
      ),
    source: oneOf(sources.items).describe('where records come from'),
    stages: z.array(oneOf(stages)).min(1).describe('the processing stages, in order'),
    train: trainOptions.optional().describe('how training passes over the data'),
    columns: columnsOptionOf([...optimizers.items, ...trainers])
      .optional()
      .describe(
        'further columns that the model learns besides the tags, by name and in order: each sees the predictions of those before it; part of the model file',
      ),
    challenge: challengeOptions
      .optional()
      .describe('learners that compete on the same stream; the best one tags'),
    model: z
      .optional(modelOption)
      .describe(
        'the model: the file to write after training, its scorer, hidden states and layers',
      ),
    deploy: onResume(
      'place',
      z
        .optional(deployOption)
        .describe(
          'registry alias to point to the finished model, and on a stream to each new champion that tags recent records no worse than the deployed model: nats://NAME@ALIAS, or { to, records }',
        ),
    ),
    test: onResume(
      'observation',
      oneOf(sources.items).optional().describe('data to score the finished model on'),
    ),
    checks: onResume(
      'observation',
      z
        .optional(z.array(checkOptions(sources.items)))
        .describe('what the finished model must get right; run by tagstream test'),
    ),
    shutdownTimeout: onResume(
      'observation',
      z
        .optional(z.number().positive().max(86_400))
        .describe(
          'seconds allowed for an orderly shutdown after SIGINT or SIGTERM before the run is aborted',
        ),
    ),
    sink: onResume(
      'place',
      sinkOptionsOf(transports.items, formatsOf(sources))
        .optional()
        .describe('where tagged records go'),
    ),
    deadLetters: onResume(
      'observation',
      deadLetterOptions.optional().describe('what happens to bad records'),
    ),
  });

/** Returns the names of formats, except those of generated data, which has no format. */
const formatsOf = ({ items }: Catalogue['sources']): readonly string[] =>
  items.filter(({ generated }) => generated === undefined).map(({ name }) => name);

/** Schema of a pipeline file without plug-ins. */
export const pipelineSchema = pipelineSchemaOf(builtIn);

export type PipelineFile = z.output<typeof pipelineSchema>;

/** Returns the JSON Schema of pipeline files, for editors, from the schema that checks them. */
export function jsonSchemaText(catalogue: Catalogue = builtIn): string {
  const schema = z.toJSONSchema(pipelineSchemaOf(catalogue), {
    io: 'input',
    target: 'draft-7',
    reused: 'ref',
  });
  return `${JSON.stringify({ title: 'Tagstream pipeline', ...schema }, null, 2)}\n`;
}
