import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import { counted } from '../../core/wording/counted.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { readTaggingModel } from '../../models/files/model-file.js';
import { runChecks } from '../checks/run-checks.js';
import { deadLetterOptionsOf } from '../definition/dead-letter-options-of.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunOptions, RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { withRegisteredModel } from '../tagging/registered/with-registered-model.js';
import { kernelOf } from './kernel-of.js';
import { type RunParts, runOnce } from './run-once.js';
import { firstModelOf } from './stacked/first-model-of.js';

/**
 * Runs a pipeline from its source to its end: trains and writes a model, tags records, or both.
 *
 * @throws TagstreamError for what ends the run; no half-written file is left
 */
export async function runPipeline(
  pipeline: Pipeline,
  options: RunOptions = {},
): Promise<RunResult> {
  requireArgument('runPipeline: the pipeline', pipeline, kinds.pipeline);
  requireKnown('runPipeline', options, [
    ...['model', 'names', 'keepLonger', 'resume', 'limit', 'deadLetters', 'events', 'status'],
    ...['signal', 'reloads', 'registry', 'stdin', 'stdout', 'onBlank', 'kernel'],
    ...['onModel', 'onScored', 'sharedReading', 'workers'],
  ]);
  return observedRun(pipeline, options);
}

/**
 * The same for this program itself, which watches trainings from the inside.
 *
 * @throws TagstreamError as `runPipeline`
 */
export async function observedRun(
  pipeline: Pipeline,
  options: RunOptions,
  parts: Omit<RunParts, 'makeFirst'> = {},
): Promise<RunResult> {
  const { signal, workers } = options;
  if (workers !== undefined) requireWorkers(pipeline, workers);
  try {
    if (options.deadLetters !== undefined)
      return await run(pipeline, options as RunWithDeadLetters, parts);
    const deadLetters = new DeadLetters(deadLetterOptionsOf(pipeline));
    try {
      return await run(pipeline, { ...options, deadLetters }, parts);
    } finally {
      await deadLetters.close();
    }
  } catch (thrown) {
    if (signal?.aborted !== true || thrown !== signal.reason) throw thrown;
    // It was waiting for the other end of a pipe.
    const reproducible = pipeline.train?.mode !== 'hogwild';
    return { sentencesSeen: 0, records: 0, rejected: 0, stopped: true, reproducible };
  }
}

/** @throws TagstreamError `config` for no number of threads, and where the threads are those of the training */
function requireWorkers({ trains }: Pipeline, workers: number): void {
  if (trains) {
    throw new TagstreamError('config', 'runPipeline: workers are threads that tag', {
      fix: 'set train.workers in the pipeline, as by set: [train.workers=2] of loadPipeline',
    });
  }
  if (Number.isSafeInteger(workers) && workers >= 1) return;
  throw new TagstreamError('config', `runPipeline: ${workers} is not a number of workers`, {
    fix: 'give a whole number of at least 1',
  });
}

async function run(
  pipeline: Pipeline,
  options: RunWithDeadLetters,
  parts: RunParts,
): Promise<RunResult> {
  const { deadLetters } = options;
  const before = deadLetters.total;
  const result = await withRegisteredModel(
    pipeline,
    options,
    (registered, given) => runOnce(registered, given, { ...parts, makeFirst: firstModelOf }),
    file => requireChecks(pipeline, file, options),
  );
  return { ...result, rejected: deadLetters.total - before };
}

/**
 * Tries a model on the checks of a pipeline, if it has some.
 *
 * @throws (rejects with) TagstreamError `model-...`, and `config` for checks that it does not pass
 */
async function requireChecks(pipeline: Pipeline, file: string, options: RunOptions): Promise<void> {
  if ((pipeline.checks ?? []).length === 0) return;
  const kernel = options.kernel ?? kernelOf(pipeline);
  const model = readTaggingModel(readBytes(file), file, kernel, pipeline.catalogue.functions);
  const failed = (await runChecks(pipeline, model)).filter(({ passed }) => !passed);
  if (failed.length === 0) return;
  throw new TagstreamError(
    'config',
    `it does not pass ${counted(failed.length, 'check')}: ${failed.map(({ name }) => name).join('; ')}`,
    { place: { source: pipeline.file }, fix: 'see tagstream test, and promote another version' },
  );
}
