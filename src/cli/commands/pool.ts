import type { CommandModule } from 'yargs';
import { flag, number, text, wholeNumber } from '../options/option-kinds.js';
import { useOption } from '../options/use-option.js';
import type { PoolArguments } from '../pool/pool-files.js';

export const poolCommand: CommandModule<object, PoolArguments> = {
  command: 'pool <models..>',
  describe: 'combine several models into one, weighted on held-out data',
  builder: yargs =>
    yargs
      .positional('models', {
        type: 'string',
        array: true,
        demandOption: true,
        describe:
          'model files with the same labels, columns and tokenizer; with --experts a pipeline file',
      })
      .options({
        model: text('model file to write', { demandOption: true }),
        data: text('labelled file that no model was trained on, to learn the weights from'),
        format: text(
          'ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then that of the models',
          { implies: 'data' },
        ),
        pipeline: text('pipeline file with this data in its section test, instead of --data', {
          conflicts: 'data',
        }),
        set: {
          type: 'string',
          array: true,
          nargs: 1,
          describe: 'override a setting of the pipeline file',
        },
        experts: text(
          'number of experts to train from a pipeline file, given instead of models; some of its records are held out for the weights',
          {
            coerce: wholeNumber('experts', 2),
            conflicts: ['data', 'pipeline', 'weights'],
          },
        ),
        by: {
          choices: ['features', 'data', 'labels'] as const,
          default: 'features',
          describe:
            'how experts differ: features: each gets a random half of the templates; data: each gets a part of the records; labels: each gets weights for a part of the labels, whole entity types together',
        },
        seed: text('with --experts: seed for drawing templates, records and labels [default: 1]', {
          coerce: wholeNumber('seed', 0),
          implies: 'experts',
        }),
        prior: number(
          'learn positive weights that sum to 1, with a Dirichlet prior with this parameter, at least 1',
          { conflicts: 'weights' },
        ),
        weights: text('use these weights instead of learned ones, for example 0.5,0.5'),
      })
      .options(useOption)
      .option('json', flag('print one JSON object')) as never,
  handler: async given => {
    const { poolFiles } = await import('../pool/pool-files.js');
    await poolFiles(given);
  },
};
