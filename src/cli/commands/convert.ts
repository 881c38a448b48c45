import type { CommandModule } from 'yargs';
import type { ConvertArguments } from '../convert-files.js';
import { badRecordOptions } from '../options/bad-record-options.js';
import { tokenizerOption } from '../options/tokenizer-option.js';
import { useOption } from '../options/use-option.js';

export const convertCommand: CommandModule<object, ConvertArguments> = {
  command: 'convert [inputs..]',
  describe: 'convert records from one format to another',
  builder: yargs =>
    yargs
      .positional('inputs', {
        type: 'string',
        array: true,
        default: ['-'],
        describe: 'files, - for the standard input',
      })
      .option('from', {
        type: 'string',
        requiresArg: true,
        describe:
          'format of the input, with options: conll:{columns: [form, pos, tag]}; default: by extension, then by content',
      })
      .option('to', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe:
          'format of the output, with options: ndjson, text, conll, conllu, letters, slash, crfsuite, spans, doccano, spacy, prodigy, label-studio',
      })
      .option('out', {
        type: 'string',
        default: '-',
        requiresArg: true,
        describe: 'where to write; gzip if it ends in .gz, Zstandard if in .zst (Node 22.15)',
      })
      .options(tokenizerOption)
      .options(useOption)
      .options(badRecordOptions)
      .option('strict', {
        type: 'boolean',
        describe: 'fail at the first bad record, or at the first value that the format cannot hold',
      }) as never,
  handler: async given => {
    const { convertFiles } = await import('../convert-files.js');
    await convertFiles(given);
  },
};
