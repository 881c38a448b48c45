import { grouped } from '../../core/wording/grouped.js';
import { many } from '../../core/wording/many.js';
import type { DryRunReport } from '../../pipeline/run/dry-run/dry-run-report.js';
import { visible } from '../../text/visible.js';
import { formatScores } from './format-scores.js';

/** A dry run as lines of text. */
export function formatDryRun(report: DryRunReport): string {
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

/** A stage on one line; templates are only counted. */
function stageText(stage: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(stage, (key, value: unknown) =>
    key === 'templates' && Array.isArray(value) ? `${value.length} lines` : value,
  );
}
