import { TagstreamError } from '../../engine/core/errors.js';
import { figureText } from '../../engine/core/figures.js';
import { kernels } from '../../engine/models/kernels.js';
import { visible } from '../../engine/text/visible.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { readPipesAhead } from '../../formats/reading/read-bytes.js';
import { loadTagger } from '../../runtime/io/load-tagger.js';
import { type CheckResult, runChecks } from '../../runtime/pipeline/checks/run-checks.js';
import type { Check } from '../../runtime/pipeline/definition/check-options.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';
import { modelFileOf } from '../../runtime/pipeline/definition/places.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import { withModelFiles } from '../files/model-files.js';
import type { KernelArguments } from '../options/computing-options.js';
import type { NatsArguments } from '../options/nats-options.js';
import { printJson, printText } from '../report/terminal.js';

/** Arguments of `test`. */
export interface TestArguments extends KernelArguments, NatsArguments {
  readonly pipeline: string;
  readonly model?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
}

/** Runs the checks of a pipeline file on its trained model, and prints the results. */
export async function testPipeline(given: TestArguments): Promise<void> {
  await readPipesAhead([given.pipeline, given.model]);
  const pipeline = loadPipeline(given.pipeline, { set: given.set ?? [] });
  const named = { ...given, model: given.model ?? modelFile(pipeline) };
  const checks = pipeline.checks ?? [];
  // A pipeline without checks is reported without loading a model.
  const { model: file } = checks.length === 0 ? named : await withModelFiles(named, ['model']);
  const model =
    checks.length === 0
      ? undefined
      : loadTagger(file, { kernel: kernels[given.kernel ?? 'simd'] }).model;
  const results = await runChecks(pipeline, model!);
  const failed = results.filter(({ passed }) => !passed).length;
  const passed = results.length - failed;
  if (given.json === true) {
    const summary = { pipeline: pipeline.file, model: file, passed, failed, checks: results };
    printJson(summary);
  } else {
    for (const result of results) printText(formatCheck(result, pipeline.file));
    printText(`${passed} passed, ${failed} failed\n`);
  }
  if (failed > 0) standardStreams().exitCode = 1;
}

/** Returns the path of the model that the pipeline trains or tags with. */
function modelFile(pipeline: Pipeline): string {
  const found = modelFileOf(pipeline, {}) ?? pipeline.plan.model;
  if (found !== undefined) return found;
  throw new TagstreamError('config', 'the pipeline has no model', {
    place: { source: pipeline.file },
    fix: 'add model: FILE, or give --model FILE',
  });
}

/**
 * Formats a check result as lines of text; a failure shows expected and actual values side by side.
 *
 * @example
 * formatCheck({ name: 'a name', passed: true }, 'a.yaml') // => 'ok    a name\n'
 */
export function formatCheck(result: CheckResult, file: string): string {
  const { name, passed, line, problem } = result;
  const oneLine = visible(name.replace(/\s+/g, ' '));
  if (passed) return `ok    ${oneLine}${scoresOf(result)}\n`;
  const lines = [`FAIL  ${oneLine}  (${file}${line === undefined ? '' : `:${line}`})`];
  if (problem !== undefined) lines.push(`      ${problem}`);
  lines.push(...tagRows(result), ...spanRows(result), ...scoreRows(result));
  return `${lines.join('\n')}\n`;
}

function scoresOf({ scores = [] }: CheckResult): string {
  const parts = scores.map(({ score, got }) => `${score} ${figureText(got)}`);
  return parts.length === 0 ? '' : `  (${parts.join(', ')})`;
}

/** Formats all tokens with both tags, marked where they differ. */
function tagRows({ tokens = [], tags }: CheckResult): string[] {
  if (tags === undefined || same(tags.expected, tags.got)) return [];
  const { expected, got } = tags;
  const rows = Array.from({ length: Math.max(tokens.length, expected.length) }, (_, t) => [
    expected[t] === got[t] ? ' ' : '>',
    visible(tokens[t] ?? ''),
    visible(expected[t] ?? '(none)'),
    visible(got[t] ?? ''),
  ]);
  const all = [[' ', 'token', 'expected', 'got'], ...rows];
  const widths = [1, 2].map(column => Math.max(...all.map(row => row[column]!.length)));
  return all.map(
    ([mark, token, wanted, found]) =>
      `    ${mark} ${token!.padEnd(widths[0]!)}  ${wanted!.padEnd(widths[1]!)}  ${found}`,
  );
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function spanRows({ spans }: CheckResult): string[] {
  if (spans === undefined) return [];
  const show = (list: readonly NonNullable<Check['spans']>[number][]) =>
    list.length === 0 ? 'none' : list.map(shownSpan).join(', ');
  return [
    `      expected spans: ${show(spans.expected)}`,
    `      got:            ${show(spans.got)}`,
  ];
}

function shownSpan({ label, text, start, end }: NonNullable<Check['spans']>[number]): string {
  const range = start === undefined && end === undefined ? '' : ` [${start ?? ''}-${end ?? ''}]`;
  return `${label}${text === undefined ? '' : ` ${JSON.stringify(text)}`}${range}`;
}

function scoreRows({ scores = [] }: CheckResult): string[] {
  return scores.map(({ score, minimum, got }) => {
    if (got === undefined) return `    > ${score}: the tags of the model mark no spans`;
    const misses = got === null || got < minimum;
    return `    ${misses ? '>' : ' '} ${score} ${figureText(got)}, at least ${minimum}`;
  });
}
