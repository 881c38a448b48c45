import type { CommandModule } from 'yargs';
import type { ClustersArguments } from '../clusters/clusters-from-text.js';
import { badRecordOptions } from '../options/bad-record-options.js';

export const clustersCommand: CommandModule<object, ClustersArguments> = {
  command: 'clusters [inputs..]',
  describe: 'learn clusters of words from text, for the templates %cluster',
  builder: yargs =>
    yargs
      .positional('inputs', {
        type: 'string',
        array: true,
        default: ['-'],
        describe: 'files, - for the standard input',
      })
      .option('out', {
        type: 'string',
        default: '-',
        requiresArg: true,
        describe: 'where to write the paths, in Brown format; gzip if it ends in .gz',
      })
      .option('classes', {
        type: 'number',
        default: 200,
        requiresArg: true,
        describe: 'number of clusters',
      })
      .option('min-count', {
        type: 'number',
        default: 5,
        requiresArg: true,
        describe: 'minimum count of a word with a cluster',
      })
      .option('fold', { type: 'boolean', default: false, describe: 'count words in lower case' })
      .option('format', {
        type: 'string',
        requiresArg: true,
        describe:
          'text (lines), ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then text',
      })
      .option('tokenizer', {
        type: 'string',
        requiresArg: true,
        describe: 'for text: a tokenizer of the stage tokenize; default regex',
      })
      .option('locale', {
        type: 'string',
        requiresArg: true,
        describe: 'language of the text; default en',
      })
      .option('json', { type: 'boolean', describe: 'report what was learned as one JSON object' })
      .options(badRecordOptions) as never,
  handler: async given => {
    const { clustersFromText } = await import('../clusters/clusters-from-text.js');
    await clustersFromText(given);
  },
};
