import type { CommandModule } from 'yargs';
import { badRecordOptions } from '../bad-record-options.js';
import { kernelOption } from '../kernel-option.js';
import type { TagArguments } from '../tag-arguments.js';
import { workersOption } from '../workers-option.js';

export const tagCommand: CommandModule<object, TagArguments> = {
  command: 'tag [inputs..]',
  describe: 'tag records with a model',
  builder: yargs =>
    yargs
      .positional('inputs', {
        type: 'string',
        array: true,
        default: ['-'],
        describe: 'files, - for the standard input',
      })
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
          'ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; else by extension or content, else that of the model',
      })
      .option('output', {
        choices: ['record', 'tags'] as const,
        default: 'record' as const,
        describe: 'the record with all results, or the shortest form',
      })
      .option('out', {
        type: 'string',
        default: '-',
        requiresArg: true,
        describe: 'where to write; gzip if it ends in .gz',
      })
      .option('decoding', {
        choices: ['viterbi', 'posterior'] as const,
        default: 'viterbi' as const,
        describe: 'the best tag sequence, or the best tag of each token',
      })
      .option('marginals', { type: 'boolean', describe: 'add the probability of each tag' })
      .option('scores', { type: 'boolean', describe: 'add the score of each sentence' })
      .option('replay', {
        type: 'string',
        requiresArg: true,
        describe: 'read the records of this file of dead letters in place of the inputs',
      })
      .options(workersOption)
      .options(kernelOption)
      .options(badRecordOptions) as never,
  handler: async given => {
    if (given.workers === 1) {
      const { tagFiles } = await import('../tag-files.js');
      await tagFiles(given);
    } else {
      const { startTagWorkers } = await import('../start-tag-workers.js');
      const pool = startTagWorkers(given.workers);
      const { tagFilesInWorkers } = await import('../tag-files-in-workers.js');
      await tagFilesInWorkers(given, pool);
    }
  },
};
