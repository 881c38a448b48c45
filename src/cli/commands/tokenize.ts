import type { CommandModule } from 'yargs';
import type { ConvertArguments } from '../convert-files.js';
import { conversionOptions } from '../options/conversion-options.js';

/** Arguments of `tokenize`: those of `convert` with other defaults. */
export type TokenizeArguments = ConvertArguments;

export const tokenizeCommand: CommandModule<object, TokenizeArguments> = {
  command: 'tokenize [inputs..]',
  describe: 'find the tokens and sentences of texts',
  builder: yargs =>
    conversionOptions(yargs, {
      from: ': text, text:{records: file}, doccano, ...; default: JSON if the first character says so, else plain text with one record per line',
      to: 'conll:{columns: [form, tag]}',
      toDefault: 'ndjson',
    }) as never,
  handler: async given => {
    const { convertFiles } = await import('../convert-files.js');
    await convertFiles({ ...given, tokenizes: true });
  },
};
