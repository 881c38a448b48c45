import type { CommandModule } from 'yargs';
import { kernelOption } from '../options/computing-options.js';
import { logOptions, shutdownOption } from '../options/operation-options.js';
import { reporting } from '../report/reporting.js';
import type { StudyArguments } from '../run/study-from-file.js';

export const studyCommand: CommandModule<object, StudyArguments> = {
  command: 'study <study>',
  describe: 'train variants of a pipeline and compare the results',
  builder: yargs =>
    yargs
      .positional('study', { type: 'string', demandOption: true, describe: 'study file' })
      .option('only', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'only this variant: a row, a column, or row/column',
      })
      .option('small', {
        type: 'boolean',
        describe: 'apply the section small: less data, fewer variants',
      })
      .option('set', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'override a setting of all runs: train.epochs=3',
      })
      .option('results', {
        type: 'string',
        requiresArg: true,
        describe: 'file of the results so far, instead of the one that the study names',
      })
      .option('fresh', { type: 'boolean', describe: 'repeat finished runs' })
      .option('dry-run', { type: 'boolean', describe: 'check everything, and list the runs' })
      .option('json', { type: 'boolean', describe: 'print one JSON object' })
      .option('html', {
        type: 'string',
        requiresArg: true,
        describe: 'write tables and plots as one page to this file',
      })
      .options(shutdownOption)
      .options(kernelOption)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      const { studyFromFile } = await import('../run/study-from-file.js');
      await studyFromFile(given, report);
    }),
};
