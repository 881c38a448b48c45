import type { CommandModule } from 'yargs';
import type { ConvertArguments } from '../convert-files.js';
import { badRecordOptions } from '../options/bad-record-options.js';
import { tokenizerOption } from '../options/tokenizer-option.js';
import { useOption } from '../options/use-option.js';

/** Arguments of `tokenize`: those of `convert` with other defaults. */
export type TokenizeArguments = ConvertArguments;

export const tokenizeCommand: CommandModule<object, TokenizeArguments> = {
  command: 'tokenize [inputs..]',
  describe: 'find the tokens and sentences of texts',
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
          'format of the input: text, text:{records: file}, doccano, ...; default: JSON by its first character, else plain text, a record per line',
      })
      .option('to', {
        type: 'string',
        default: 'ndjson',
        requiresArg: true,
        describe: 'format of the output, with options: conll:{columns: [form, tag]}',
      })
      .option('out', {
        type: 'string',
        default: '-',
        requiresArg: true,
        describe: 'where to write; gzip if it ends in .gz, Zstandard if in .zst (Node 22.15)',
      })
      .options(tokenizerOption)
      .options(useOption)
      .options(badRecordOptions) as never,
  handler: async given => {
    const { convertFiles } = await import('../convert-files.js');
    await convertFiles({ ...given, tokenizes: true });
  },
};
