import type { CommandModule } from 'yargs';
import { type InitArguments, initOptions } from '../run/init-options.js';

export const initCommand: CommandModule<object, InitArguments> = {
  command: 'init <file> [test]',
  describe: 'write a pipeline file that fits a labelled file',
  builder: yargs =>
    yargs
      .positional('file', { type: 'string', demandOption: true, describe: 'labelled file' })
      .positional('test', {
        type: 'string',
        describe:
          'labelled file to score the model on; default: a held-out tenth of the first file',
      })
      .options(initOptions) as never,
  handler: async given => {
    const { initFile } = await import('../run/init-file.js');
    await initFile(given);
  },
};
