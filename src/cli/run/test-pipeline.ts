import { TagstreamError } from '../../core/errors.js';
import { standardStreams } from '../../io/files/standard-streams.js';
import { loadTagger } from '../../io/load-tagger.js';
import { readPipesAhead } from '../../io/reading/read-pipes-ahead.js';
import { kernels } from '../../models/kernels.js';
import { runChecks } from '../../pipeline/checks/run-checks.js';
import { modelFileOf } from '../../pipeline/definition/model-file-of.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';
import { loadPipeline } from '../../pipeline/loading/load-pipeline.js';
import { withModelFiles } from '../files/model-files.js';
import type { KernelArguments } from '../options/kernel-option.js';
import type { NatsArguments } from '../options/nats-options.js';
import { formatCheck } from '../report/format-check.js';
import { printJson, printText } from '../report/terminal.js';

/** Arguments of `test`. */
export interface TestArguments extends KernelArguments, NatsArguments {
  readonly pipeline: string;
  readonly model?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
}

/** Does the checks of a pipeline file with its trained model, and prints what came of them. */
export async function testPipeline(given: TestArguments): Promise<void> {
  await readPipesAhead([given.pipeline, given.model]);
  const pipeline = loadPipeline(given.pipeline, { set: given.set ?? [] });
  const named = { ...given, model: given.model ?? modelFile(pipeline) };
  const checks = pipeline.checks ?? [];
  // Without checks there is no need for a model to say so.
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

/** The model that the pipeline trains, or that it tags with. */
function modelFile(pipeline: Pipeline): string {
  const found = modelFileOf(pipeline, {}) ?? pipeline.plan.model;
  if (found !== undefined) return found;
  throw new TagstreamError('config', 'the pipeline names no model', {
    place: { source: pipeline.file },
    fix: 'add model: FILE, or give --model FILE',
  });
}
