import { kernels } from '../../models/kernels.js';
import { deadLetterOptionsOf } from '../../pipeline/definition/dead-letter-options-of.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';
import { dryRun } from '../../pipeline/run/dry-run/dry-run.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import type { BadRecordArguments } from '../options/bad-record-options.js';
import type { KernelArguments } from '../options/kernel-option.js';
import type { LimitArguments } from '../options/limit-option.js';
import { formatDryRun } from '../report/format-dry-run.js';

/** What is said of a dry run. */
export interface DryRunArguments extends BadRecordArguments, KernelArguments, LimitArguments {
  readonly model?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Records that a dry run reads by default. */
const defaultLimit = 100;

/** Says what a run would do, on the standard output. */
export async function dryRunFromFile(pipeline: Pipeline, given: DryRunArguments): Promise<void> {
  const report = await dryRun(pipeline, {
    limit: given.limit ?? defaultLimit,
    model: given.model,
    deadLetters: chosenDeadLetters(given, deadLetterOptionsOf(pipeline)),
    ...(given.kernel === undefined ? {} : { kernel: kernels[given.kernel] }),
  });
  process.stdout.write(given.json === true ? `${JSON.stringify(report)}\n` : formatDryRun(report));
}
