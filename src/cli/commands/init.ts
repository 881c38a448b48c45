import type { CommandModule } from 'yargs';
import type { InitArguments } from '../run/init-file.js';

export const initCommand: CommandModule<object, InitArguments> = {
  command: 'init <file> [test]',
  describe: 'write a first pipeline for a labelled file by looking at it',
  builder: yargs =>
    yargs
      .positional('file', { type: 'string', demandOption: true, describe: 'labelled file' })
      .positional('test', {
        type: 'string',
        describe: 'another one, to score the model on; else a tenth of the first is held out',
      })
      .option('out', {
        type: 'string',
        default: 'pipeline.yaml',
        requiresArg: true,
        describe: 'the pipeline file, - for the standard output',
      })
      .option('task', {
        choices: ['pos', 'chunk', 'ner', 'letters'] as const,
        describe: 'what the tags are for, which decides about the features; else by the tags',
      })
      .option('columns', {
        type: 'string',
        requiresArg: true,
        describe: 'names of the columns, where the guess is wrong: form,pos,_,tag',
      })
      .option('tag', {
        type: 'string',
        requiresArg: true,
        describe: 'the column of the tags: a name, or a number from 1 in columns',
      })
      .option('words-only', {
        type: 'boolean',
        describe: 'make features of the tokens alone, so that the model can tag raw text',
      })
      .option('force', { type: 'boolean', describe: 'replace the pipeline file' }) as never,
  handler: async given => {
    const { initFile } = await import('../run/init-file.js');
    await initFile(given);
  },
};
