import type { CommandModule } from 'yargs';
import type { ConvertArguments } from '../convert-files.js';
import { conversionOptions } from '../options/conversion-options.js';
import { flag } from '../options/option-kinds.js';

export const convertCommand: CommandModule<object, ConvertArguments> = {
  command: 'convert [inputs..]',
  describe: 'convert records from one format to another',
  builder: yargs =>
    conversionOptions(yargs, {
      from: ', with options: conll:{columns: [form, pos, tag]}; default: by extension, then by content',
      to: 'ndjson, text, conll, conllu, letters, slash, crfsuite, spans, doccano, spacy, prodigy, label-studio, brat',
    }).option(
      'strict',
      flag('fail at the first bad record, or at the first value that the format cannot hold'),
    ) as never,
  handler: async given => {
    const { convertFiles } = await import('../convert-files.js');
    await convertFiles(given);
  },
};
