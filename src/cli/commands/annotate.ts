import type { CommandModule } from 'yargs';
import { logOptions, metricsOptions, shutdownOption } from '../options/operation-options.js';
import { reporting } from '../report/reporting.js';
import { type AnnotateArguments, annotateOptions } from '../run/annotate/annotate-options.js';

export const annotateCommand: CommandModule<object, AnnotateArguments> = {
  command: 'annotate [records]',
  describe: 'label records by hand in a browser, with a model that learns from each answer',
  builder: yargs =>
    yargs
      .positional('records', {
        type: 'string',
        describe: 'NDJSON, plain text with one record per line, or any other format of `convert`',
      })
      .options(annotateOptions)
      .options(shutdownOption)
      .options(metricsOptions)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      if (given.simulate !== undefined) {
        const { simulateFile } = await import('../run/annotate/simulate-file.js');
        await simulateFile({ ...given, simulate: given.simulate }, report);
        return;
      }
      const { annotateFile } = await import('../run/annotate/annotate-file.js');
      await annotateFile(given, report);
    }),
};
