import type { Argv } from 'yargs';
import { inputsArgument, text } from './option-kinds.js';
import { badRecordOptions, localeOption, tokenizerOption } from './record-options.js';
import { useOption } from './use-option.js';

/** Descriptions of formats in `convert` and `tokenize`. */
export interface ConversionFormats {
  /** Description for `--from`. */
  readonly from: string;
  /** Description for `--to`. */
  readonly to: string;
  /** Default output format; without it, `--to` is required. */
  readonly toDefault?: string;
}

/** Returns the arguments shared by `convert` and `tokenize`. */
export function conversionOptions(
  yargs: Argv,
  { from, to, toDefault }: ConversionFormats,
): Argv<object> {
  return yargs
    .positional('inputs', inputsArgument)
    .options({
      from: text(`format of the input${from}`),
      to: {
        type: 'string',
        requiresArg: true,
        ...(toDefault === undefined ? { demandOption: true } : { default: toDefault }),
        describe: `format of the output, with options: ${to}`,
      },
      out: text(
        'where to write; gzip if it ends in .gz, Zstandard if in .zst (Node 22.15); for brat, a file or a folder',
        { default: '-' },
      ),
    })
    .options({
      tokenizer: tokenizerOption('regex'),
      locale: localeOption,
      abbreviations: text(
        'file of further abbreviations that do not end a sentence, one per line (z. B.; Art #NUMERIC_ONLY# before numbers)',
      ),
    })
    .options(useOption)
    .options(badRecordOptions);
}
