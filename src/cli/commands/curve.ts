import type { CommandModule } from 'yargs';
import { kernelOption } from '../options/computing-options.js';
import { logOptions, shutdownOption } from '../options/operation-options.js';
import { flag, pipelineArgument, text } from '../options/option-kinds.js';
import { reporting } from '../report/reporting.js';
import type { CurveArguments } from '../run/learning-curve.js';
import { setOption } from '../run/run-options.js';

export const curveCommand: CommandModule<object, CurveArguments> = {
  command: 'curve <pipeline>',
  describe: 'plot a learning curve: train on growing parts of the data and score each model',
  builder: yargs =>
    yargs
      .positional('pipeline', pipelineArgument)
      .option(
        'sizes',
        text('sizes of the training data: percentages or numbers of records', {
          default: '10%,25%,50%,100%',
        }),
      )
      .options(setOption)
      .options({
        json: flag('print the curve as JSON, as for eval --curve'),
        html: text('write the curve as a page to this file'),
      })
      .options(shutdownOption)
      .options(kernelOption)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      const { learningCurve } = await import('../run/learning-curve.js');
      await learningCurve(given, report);
    }),
};
