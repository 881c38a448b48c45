import { kernels } from '../../models/kernels.js';
import { deadLetterOptionsOf } from '../../pipeline/definition/dead-letter-options-of.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';
import { dryRun } from '../../pipeline/run/dry-run/dry-run.js';
import { estimatePipeline } from '../../pipeline/run/estimate/estimate-pipeline.js';
import { withRegisteredModel } from '../../pipeline/tagging/registered/with-registered-model.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import type { BadRecordArguments } from '../options/bad-record-options.js';
import type { KernelArguments } from '../options/kernel-option.js';
import type { LimitArguments } from '../options/limit-option.js';
import { type NatsArguments, registryOf } from '../options/nats-options.js';
import { availableMemory } from '../report/estimate/available-memory.js';
import { estimateWarnings, formatEstimate } from '../report/estimate/format-estimate.js';
import { formatDryRun } from '../report/format-dry-run.js';
import { printJson, printText } from '../report/terminal.js';

/** What is said of a dry run. */
export interface DryRunArguments
  extends BadRecordArguments,
    KernelArguments,
    LimitArguments,
    NatsArguments {
  readonly model?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Records that a dry run reads by default. */
const defaultLimit = 100;

/** Says what a run would do, on the standard output. */
export async function dryRunFromFile(pipeline: Pipeline, given: DryRunArguments): Promise<void> {
  const options = {
    limit: given.limit ?? defaultLimit,
    model: given.model,
    deadLetters: chosenDeadLetters(given, deadLetterOptionsOf(pipeline)),
    ...(given.kernel === undefined ? {} : { kernel: kernels[given.kernel] }),
  };
  const report = await withRegisteredModel(pipeline, { registry: registryOf(given) }, withFile =>
    dryRun(withFile, options),
  );
  const estimate = await estimatePipeline(pipeline);
  if (given.json === true) {
    printJson({ ...report, estimate: estimate ?? null });
    return;
  }
  printText(formatDryRun(report));
  if (estimate === undefined) return;
  const warnings = estimateWarnings(estimate, availableMemory());
  printText(`${[formatEstimate(estimate), ...warnings].join('\n')}\n`);
}
