import type { CommandModule } from 'yargs';
import { constraintOptions } from '../decoding-options.js';
import type { EvalArguments } from '../eval-file.js';
import { kernelOption } from '../kernel-option.js';

export const evalCommand: CommandModule<object, EvalArguments> = {
  command: 'eval <gold>',
  describe: 'score a model on labelled data',
  builder: yargs =>
    yargs
      .positional('gold', { type: 'string', demandOption: true, describe: 'labelled file' })
      .option('model', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'model file',
      })
      .option('format', {
        type: 'string',
        requiresArg: true,
        describe:
          'ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; else by extension, else that of the model',
      })
      .option('json', { type: 'boolean', describe: 'print one JSON object' })
      .options(constraintOptions)
      .options(kernelOption) as never,
  handler: async given => {
    const { evalFile } = await import('../eval-file.js');
    await evalFile(given);
  },
};
