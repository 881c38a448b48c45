import type { CommandModule } from 'yargs';
import { kernelOption } from '../options/computing-options.js';
import { logOptions, metricsOptions, shutdownOption } from '../options/operation-options.js';
import { flag, text, texts } from '../options/option-kinds.js';
import { reporting } from '../report/reporting.js';
import type { StudyArguments } from '../run/study-from-file.js';

export const studyCommand: CommandModule<object, StudyArguments> = {
  command: 'study <study>',
  describe: 'train variants of a pipeline and compare the results',
  builder: yargs =>
    yargs
      .positional('study', { type: 'string', demandOption: true, describe: 'study file' })
      .options({
        only: texts('only this variant: a row, a column, or row/column'),
        small: flag('apply the section small: less data, fewer variants'),
        set: texts('override a setting of all runs: train.epochs=3'),
        results: text('file of the results so far, instead of the one that the study names'),
        fresh: flag('repeat finished runs'),
        'dry-run': flag('check everything, and list the runs'),
        json: flag('print one JSON object'),
        html: text('write tables and plots as one page to this file'),
      })
      .options(shutdownOption)
      .options(kernelOption)
      .options(metricsOptions)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      const { studyFromFile } = await import('../run/study-from-file.js');
      await studyFromFile(given, report);
    }),
};
