import { grouped, many } from '../../engine/core/wording/numbers.js';
import { kernels } from '../../engine/models/kernels.js';
import { visible } from '../../engine/text/visible.js';
import { deadLetterOptionsOf } from '../../runtime/pipeline/definition/dead-letters.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';
import { type DryRunReport, dryRun } from '../../runtime/pipeline/run/dry-run/dry-run.js';
import { estimatePipeline } from '../../runtime/pipeline/run/estimate/estimate-pipeline.js';
import { withRegisteredModel } from '../../runtime/pipeline/tagging/registered/with-registered-model.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import type { KernelArguments } from '../options/computing-options.js';
import { type NatsArguments, registryOf } from '../options/nats-options.js';
import type { BadRecordArguments, LimitArguments } from '../options/record-options.js';
import {
  availableMemory,
  estimateWarnings,
  formatEstimate,
} from '../report/estimate/format-estimate.js';
import { formatScores } from '../report/format-scores.js';
import { printJson, printText } from '../report/terminal.js';

/** Arguments of a dry run. */
export interface DryRunArguments
  extends BadRecordArguments,
    KernelArguments,
    LimitArguments,
    NatsArguments {
  readonly model?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Default number of records that a dry run reads. */
const defaultLimit = 100;

/** Prints a description of what a run would do. */
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

/** Formats a dry run as lines of text. */
function formatDryRun(report: DryRunReport): string {
  const { records, bad, firstBad, sentences, tokens, labelled, labels, features } = report;
  const { loss, heldOut, test, firstOutput } = report;
  const lines = [
    `pipeline ${report.pipeline}: nothing is written`,
    ...report.inputs.map(({ file, bytes }) => `reads   ${file} (${report.format}${sizeOf(bytes)})`),
    ...report.stages.map(stage => `stage   ${stageText(stage)}`),
    ...writesOf(report),
    `the first ${many(records, 'record')}: ${many(sentences, 'sentence')}, ${many(tokens, 'token')}, ${many(labelled, 'labelled sentence')}, ${many(bad, 'bad record')}`,
    ...(firstBad === null ? [] : [`first bad record: ${firstBad}`]),
    `model   ${many(labels.length, 'label')}${someOf(labels)}, ${many(features, 'feature')}`,
    ...(loss === null ? [] : [`loss    ${loss.toFixed(4)} per token`]),
    ...(heldOut === null ? [] : [`held out, at the beginning: ${formatScores(heldOut)}`]),
    ...(test === null ? [] : [`test    ${many(test, 'labelled sentence')} among the first`]),
    ...(firstOutput === null ? [] : ['first record of the output:', firstOutput.trimEnd()]),
  ];
  return `${lines.join('\n')}\n`;
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? '' : `, ${grouped(bytes)} bytes`;
}

function someOf(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  return ` (${visible(labels.slice(0, 8).join(', '))}${labels.length > 8 ? ', ...' : ''})`;
}

function writesOf({ writes }: DryRunReport): string[] {
  const { model, records, checkpoints, deadLetters } = writes;
  const named = { model, records, checkpoints, 'bad records': deadLetters };
  return Object.entries(named).flatMap(([what, file]) =>
    file === null ? [] : [`would write ${what} to ${file === '-' ? 'the standard output' : file}`],
  );
}

/** Formats a stage on one line; templates are only counted. */
function stageText(stage: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(stage, (key, value: unknown) =>
    key === 'templates' && Array.isArray(value) ? `${value.length} lines` : value,
  );
}
