import type { CommandModule } from 'yargs';
import { visible } from '../../engine/text/visible.js';
import { texts } from '../options/option-kinds.js';
import { printError, printText } from '../report/terminal.js';

interface ValidateArguments {
  readonly pipelines: readonly string[];
  readonly set?: readonly string[] | undefined;
}

export const validateCommand: CommandModule<object, ValidateArguments> = {
  command: 'validate <pipelines...>',
  describe: 'check pipeline files without running them',
  builder: yargs =>
    yargs
      .positional('pipelines', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'pipeline files',
      })
      .option('set', texts('override a setting')),
  handler: async ({ pipelines, set }) => {
    const { validatePipeline } = await import(
      '../../runtime/pipeline/loading/validate-pipeline.js'
    );
    const { growthNote } = await import('../../runtime/pipeline/definition/growth-note.js');
    const { default: pLimit } = await import('p-limit');
    const limit = pLimit(4);
    const checks = pipelines.map(file => limit(() => validatePipeline(file, { set: set ?? [] })));
    let firstError: unknown;
    for (const [i, check] of (await Promise.allSettled(checks)).entries()) {
      if (check.status === 'fulfilled') {
        const growth = growthNote(check.value);
        const note = growth === undefined ? '' : `; ${growth}`;
        printText(`${pipelines[i]}: valid${note}\n`);
        continue;
      }
      if (firstError !== undefined)
        printError(`tagstream: ${visible(String(check.reason.message))}\n`);
      firstError ??= check.reason;
    }
    if (firstError !== undefined) throw firstError;
  },
};
