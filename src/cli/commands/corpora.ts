import type { Argv, CommandModule } from 'yargs';
import {
  type CorporaArguments,
  corporaOptions,
  type FetchArguments,
  fetchOptions,
} from '../corpora/corpora-options.js';
import type { ConvertCorporaArguments } from '../corpora/fetch-corpora.js';
import { registered } from '../line/parsed-line.js';
import { text } from '../options/option-kinds.js';

const listCommand: CommandModule<object, CorporaArguments> = {
  command: 'list',
  describe: 'list the known public corpora with their licences',
  builder: yargs => yargs.options(corporaOptions) as never,
  handler: async given => {
    const { listCorpora } = await import('../corpora/list-corpora.js');
    listCorpora(given);
  },
};

const fetchCommand: CommandModule<object, FetchArguments> = {
  command: 'fetch <names..>',
  describe: 'download corpora and check them; an interrupted download resumes where it stopped',
  builder: yargs => named(yargs).options(fetchOptions).options(corporaOptions) as never,
  handler: async given => {
    const { fetchCorpora } = await import('../corpora/fetch-corpora.js');
    await fetchCorpora(given);
  },
};

const convertCommand: CommandModule<object, ConvertCorporaArguments> = {
  command: 'convert <names..>',
  describe: 'write corpora as NDJSON (train.ndjson and so on); downloads them if necessary',
  builder: yargs =>
    named(yargs)
      .option('out', text('parent folder of the corpora; default: next to the downloaded files'))
      .options(fetchOptions)
      .options(corporaOptions) as never,
  handler: async given => {
    const { convertCorpora } = await import('../corpora/fetch-corpora.js');
    await convertCorpora(given);
  },
};

/** The commands of the group. */
export const corporaCommands = [listCommand, fetchCommand, convertCommand];

export const corporaCommand: CommandModule = {
  command: 'corpora',
  describe: 'list, fetch and convert public corpora',
  builder: yargs =>
    yargs
      .command(registered(listCommand))
      .command(registered(fetchCommand))
      .command(registered(convertCommand))
      .demandCommand(1, 'corpora needs list, fetch or convert'),
  handler: () => undefined,
};

function named(yargs: Argv): Argv {
  return yargs.positional('names', {
    type: 'string',
    array: true,
    demandOption: true,
    describe: 'names from the list',
  });
}
