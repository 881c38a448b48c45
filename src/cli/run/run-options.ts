import type { Argv } from 'yargs';
import { kernelOption } from '../options/computing-options.js';
import { natsOptions } from '../options/nats-options.js';
import { logOptions, metricsOptions, shutdownOption } from '../options/operation-options.js';
import { flag, number, pipelineArgument, text, texts } from '../options/option-kinds.js';
import { badRecordOptions, limitOption } from '../options/record-options.js';
import type { RunArguments } from './run-from-file.js';

/** The arguments of `train` and `run`. */
export function runOptions(yargs: Argv): Argv<RunArguments> {
  return yargs
    .positional('pipeline', pipelineArgument)
    .option('model', text('file to write the model to'))
    .option(
      'deploy',
      text(
        'registry alias to point to the finished model, and to each new champion: nats://NAME@ALIAS',
      ),
    )
    .options(setOption)
    .options({
      workers: number(
        'number of threads that train together, train first models in parallel, or tag if the pipeline only tags; overrides train.workers',
      ),
      mode: {
        choices: ['deterministic', 'hogwild'] as const,
        describe:
          'deterministic: the same output as with one thread; hogwild: faster, not reproducible',
      },
      seeds: number(
        'number of seeds to train with, whose weights are averaged; overrides train.seeds',
      ),
      names: flag(
        'keep the names of all features in the model, for inspect; --no-names: keep none',
      ),
      force: flag(
        'replace the existing model even if it was trained longer: with more passes of the same optimizer, or more sentences than --limit allows',
      ),
      resume: flag('resume from the newest checkpoint'),
      json: flag('print the result as JSON'),
      html: text(
        'write a page to this file: losses, margins and held-out scores of all passes, or the scores of a stream over time',
      ),
    })
    .options(limitOption)
    .option(
      'dry-run',
      flag(
        'run all stages on the first records (100, or --limit), write nothing, and report what a run would do',
        { conflicts: 'resume' },
      ),
    )
    .options(shutdownOption)
    .options(kernelOption)
    .options(badRecordOptions)
    .options(metricsOptions)
    .options(natsOptions)
    .options(logOptions) as never;
}

/** Option of commands that run a pipeline file. */
export const setOption = {
  set: texts(
    'override a setting by its keys in the pipeline file: stages.optimize.sgd.eta0=0.05; paths in the value are relative to the folder of that file',
  ),
} as const;
