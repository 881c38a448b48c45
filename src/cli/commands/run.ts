import type { CommandModule } from 'yargs';
import { fieldOptions } from '../options/field-options.js';
import { text } from '../options/option-kinds.js';
import { reporting } from '../report/reporting.js';
import type { RunArguments } from '../run/run-from-file.js';
import { runOptions } from '../run/run-options.js';

export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run <pipeline>',
  describe: 'run a pipeline file: train, tag, or both',
  builder: yargs =>
    runOptions(yargs)
      .options(fieldOptions)
      .option(
        'replay',
        text('read the records of this dead-letter file instead of the source', {
          conflicts: 'resume',
        }),
      )
      .option(
        'challenge',
        text(
          "another learner of the same stream, which differs in one setting and answers once it is better: 'stages.optimize={sgd: {eta0: 0.2}}'; can be given several times",
          { array: true, nargs: 1 },
        ),
      ),
  handler: given =>
    reporting(given, async report => {
      const { runFromFile } = await import('../run/run-from-file.js');
      await runFromFile(given, false, report);
    }),
};
