import type { CommandModule } from 'yargs';
import { flag, number, text, wholeNumber } from '../options/option-kinds.js';
import { useOption } from '../options/use-option.js';
import type { PoolArguments } from '../pool/pool-files.js';

export const poolCommand: CommandModule<object, PoolArguments> = {
  command: 'pool <models..>',
  describe: 'make one model of several, weighted on held-out data',
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
        model: text('where the model file of the pool goes', { demandOption: true }),
        data: text('labelled file that no model was trained on, to learn the weights from'),
        format: text(
          'ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then that of the models',
          { implies: 'data' },
        ),
        pipeline: text('pipeline file whose section test has this data, in place of --data', {
          conflicts: 'data',
        }),
        set: {
          type: 'string',
          array: true,
          nargs: 1,
          describe: 'override a setting of the pipeline file',
        },
        experts: text(
          'train so many experts by a pipeline file, which is named in place of the models; some of its records are held out for the weights',
          {
            coerce: wholeNumber('experts', 2),
            conflicts: ['data', 'pipeline', 'weights'],
          },
        ),
        by: {
          choices: ['features', 'data'] as const,
          default: 'features',
          describe:
            'how experts differ: features: each has a random half of the templates; data: each has a part of the records',
        },
        seed: text('with --experts: draws templates and deals records [default: 1]', {
          coerce: wholeNumber('seed', 0),
          implies: 'experts',
        }),
        prior: number(
          'learn weights that are positive and sum to 1, with a Dirichlet prior of this parameter, at least 1',
          { conflicts: 'weights' },
        ),
        weights: text('weights in place of learned ones, as 0.5,0.5'),
      })
      .options(useOption)
      .option('json', flag('print one JSON object')) as never,
  handler: async given => {
    const { poolFiles } = await import('../pool/pool-files.js');
    await poolFiles(given);
  },
};
