import type { CommandModule } from 'yargs';
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
        describe: 'model files with the same labels, columns and tokenizer',
      })
      .option('model', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'where the model file of the pool goes',
      })
      .option('data', {
        type: 'string',
        requiresArg: true,
        describe: 'labelled file that no model was trained on, to learn the weights from',
      })
      .option('format', {
        type: 'string',
        requiresArg: true,
        implies: 'data',
        describe:
          'ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then that of the models',
      })
      .option('pipeline', {
        type: 'string',
        requiresArg: true,
        conflicts: 'data',
        describe: 'pipeline file whose section test has this data, in place of --data',
      })
      .option('set', {
        type: 'string',
        array: true,
        nargs: 1,
        implies: 'pipeline',
        describe: 'override a setting of the pipeline file',
      })
      .option('weights', {
        type: 'string',
        requiresArg: true,
        describe: 'weights in place of learned ones, as 0.5,0.5',
      })
      .options(useOption)
      .option('json', { type: 'boolean', describe: 'print one JSON object' }) as never,
  handler: async given => {
    const { poolFiles } = await import('../pool/pool-files.js');
    await poolFiles(given);
  },
};
