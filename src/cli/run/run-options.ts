import type { Argv } from 'yargs';
import { badRecordOptions } from '../options/bad-record-options.js';
import { kernelOption } from '../options/kernel-option.js';
import { limitOption } from '../options/limit-option.js';
import { logOptions } from '../options/log-options.js';
import { metricsOptions } from '../options/metrics-options.js';
import { natsOptions } from '../options/nats-options.js';
import { setOption } from '../options/set-option.js';
import { shutdownOption } from '../options/shutdown-option.js';
import type { RunArguments } from './run-from-file.js';

/** The arguments of `train` and `run`. */
export function runOptions(yargs: Argv): Argv<RunArguments> {
  return yargs
    .positional('pipeline', { type: 'string', demandOption: true, describe: 'pipeline file' })
    .option('model', { type: 'string', requiresArg: true, describe: 'file to write the model to' })
    .options(setOption)
    .option('workers', {
      type: 'number',
      requiresArg: true,
      describe:
        'number of threads that train together (overrides train.workers), or that tag where nothing is trained',
    })
    .option('mode', {
      choices: ['deterministic', 'hogwild'] as const,
      describe:
        'deterministic: the same output as with one thread; hogwild: faster, not reproducible',
    })
    .option('seeds', {
      type: 'number',
      requiresArg: true,
      describe:
        'train with so many seeds, and keep the mean of their weights; overrides train.seeds',
    })
    .option('names', {
      type: 'boolean',
      describe: 'keep the names of all features in the model, for inspect; --no-names: keep none',
    })
    .option('force', {
      type: 'boolean',
      describe:
        'replace the model also if it had more passes of the same optimizer, or more sentences than --limit gives',
    })
    .option('resume', { type: 'boolean', describe: 'resume from the newest checkpoint' })
    .option('json', { type: 'boolean', describe: 'print the result as JSON' })
    .options(limitOption)
    .option('dry-run', {
      type: 'boolean',
      conflicts: 'resume',
      describe:
        'run all stages on the first records (100, or --limit), write nothing, and report what would be done',
    })
    .options(shutdownOption)
    .options(kernelOption)
    .options(badRecordOptions)
    .options(metricsOptions)
    .options(natsOptions)
    .options(logOptions) as never;
}
