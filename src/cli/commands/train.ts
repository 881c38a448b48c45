import type { CommandModule } from 'yargs';
import { reporting } from '../report/reporting.js';
import type { RunArguments } from '../run/run-from-file.js';
import { runOptions } from '../run/run-options.js';

export const trainCommand: CommandModule<object, RunArguments> = {
  command: 'train <pipeline>',
  describe: 'train a model from a pipeline file',
  builder: runOptions,
  handler: given =>
    reporting(given, async report => {
      const { runFromFile } = await import('../run/run-from-file.js');
      await runFromFile(given, true, report);
    }),
};
