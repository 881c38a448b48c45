import type { CommandModule } from 'yargs';
import { kernelOption, workersOption } from '../options/computing-options.js';
import { logOptions, shutdownOption } from '../options/operation-options.js';
import { flag, pipelineArgument, text, texts, wholeNumber } from '../options/option-kinds.js';
import { reporting } from '../report/reporting.js';
import type { CrossValidationArguments } from '../run/cross-validation.js';
import { setOption } from '../run/run-options.js';

export const crossvalCommand: CommandModule<object, CrossValidationArguments> = {
  command: 'crossval <pipeline>',
  describe: 'cross-validate: for each fold, train on the others and score on it',
  builder: yargs =>
    yargs
      .positional('pipeline', pipelineArgument)
      .options({
        folds: text('number of folds, with one training each', {
          default: '10',
          coerce: wholeNumber('folds', 2),
        }),
        seed: text('seed that assigns records to folds', {
          default: '1',
          coerce: wholeNumber('seed', 0),
        }),
        run: text(
          'number of consecutive records to keep in the same fold; default: 1, or up to 50 for records of documents',
          { coerce: wholeNumber('run', 1) },
        ),
        workers: {
          ...workersOption.workers,
          describe: 'folds to train at the same time, each in its own thread',
        },
      })
      .options({
        grid: texts(
          'values of a penalty to choose from, such as l1=0,0.5,1; may be repeated for l2: cross-validates all combinations',
        ),
        out: text(
          'with --grid: write the pipeline file with the chosen penalties here, in the folder of the first',
          {
            implies: 'grid',
          },
        ),
        force: flag('with --out: replace the file', { implies: 'out' }),
      })
      .options(setOption)
      .options({
        report: {
          choices: ['short', 'full'] as const,
          describe:
            'short: scores by fold and by label; full: also the report of all folds together [default: short]',
        },
        json: flag('print one JSON object'),
        html: text('write everything, with errors in context, as one page to this file'),
      })
      .options(shutdownOption)
      .options(kernelOption)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      if (given.grid !== undefined) {
        const { choosePenalties } = await import('../run/penalty-grid.js');
        return choosePenalties(given, report);
      }
      const { crossValidateFile } = await import('../run/cross-validation.js');
      await crossValidateFile(given, report);
    }),
};
