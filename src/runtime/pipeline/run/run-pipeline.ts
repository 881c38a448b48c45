import { TagstreamError } from '../../../engine/core/errors.js';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { FirstModel } from '../../../engine/models/decoding/first-model.js';
import { readTaggingModel } from '../../../engine/models/files/model-file.js';
import { isSectionFile } from '../../../engine/models/files/section-file.js';
import { notedSample } from '../../../engine/models/inspection/read-inspected.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { runChecks } from '../checks/run-checks.js';
import { deadLetterOptionsOf } from '../definition/dead-letters.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunContext } from '../definition/run-context.js';
import type { OnSettled } from '../learners/trainee.js';
import type { RunOptions, RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { withRegisteredModel } from '../tagging/registered/with-registered-model.js';
import { kernelOf } from './kernel-of.js';
import { type RunParts, runOnce } from './run-once.js';
import { namedFirst } from './stacked/first-pipeline.js';
import { jackknifed } from './stacked/jackknife.js';

/**
 * Runs a pipeline from its source to its end: it trains and writes a model, tags records, or both. Returns counts,
 * scores and the written model file.
 *
 * @param options the model's path, callbacks, a stop signal, and other settings of the run
 * @throws (rejects with) TagstreamError for errors that end the run; no half-written file remains
 */
export async function runPipeline(
  pipeline: Pipeline,
  options: RunOptions = {},
): Promise<RunResult> {
  requireArgument('runPipeline: the pipeline', pipeline, kinds.pipeline);
  requireKnown('runPipeline', options, [
    ...['model', 'names', 'keepLonger', 'resume', 'limit', 'deadLetters', 'events', 'status'],
    ...['signal', 'reloads', 'registry', 'stdin', 'stdout', 'onBlank', 'kernel'],
    ...['onModel', 'onScored', 'rank', 'sharedReading', 'workers'],
  ]);
  return observedRun(pipeline, options);
}

/**
 * Runs a pipeline for this program itself, which can observe training runs from the inside.
 *
 * @throws TagstreamError like `runPipeline`
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
    // The run was waiting for the other end of a pipe.
    const reproducible = pipeline.train?.mode !== 'hogwild';
    return { sentencesSeen: 0, records: 0, rejected: 0, stopped: true, reproducible };
  }
}

/**
 * @throws TagstreamError `config` for an invalid number of threads, or if the pipeline trains
 */
function requireWorkers({ trains }: Pipeline, workers: number): void {
  if (trains) {
    throw new TagstreamError('config', 'runPipeline: workers apply only to pipelines that tag', {
      fix: 'set train.workers in the pipeline, for example with set: [train.workers=2] of loadPipeline',
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
 * Runs the checks of a pipeline on a model, if it has any.
 *
 * @throws (rejects with) TagstreamError `model-...`, and `config` for failed checks
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

/** A first model, and what the second model takes from its corpus. */
interface FirstPart {
  readonly model: FirstModel | undefined;
  readonly onSettled?: OnSettled;
}

/**
 * Returns the first model that the stage `featurize` names: a model file is read; a pipeline file is trained on the
 * second model's source, whose sentences are tagged by models that have not seen them.
 *
 * @returns no model if none is named or the run was stopped
 * @throws (rejects with) TagstreamError `file`, `config`, those of `readModel`, and the errors of training
 */
async function firstModelOf(
  pipeline: Pipeline,
  { paths, events, catalogue, signal }: RunContext,
  { limit }: Pick<RunOptions, 'limit'>,
): Promise<FirstPart> {
  const named = namedFirst(pipeline, paths);
  if (named === undefined) return { model: undefined };
  const { file, bytes } = named;
  if (!isSectionFile(bytes)) {
    const text = new TextDecoder().decode(bytes);
    const model = await jackknifed(
      { text, file, second: pipeline, limit },
      {
        workers: pipeline.firstWorkers,
        signal,
        onTraining: (number, of) => events.onFirstModel?.(file, number, of),
      },
    );
    return { model };
  }
  const model = readTaggingModel(bytes, file, undefined, catalogue.functions);
  if (model.first !== undefined) throw stackedTwice(file);
  return {
    model: new FirstModel(model, bytes.slice()),
    onSettled: corpus => requireUnseen(bytes, file, corpus),
  };
}

function stackedTwice(source: string): TagstreamError {
  return new TagstreamError('config', 'the first model itself has a first model', {
    place: { source },
    fix: 'name one that was trained without from',
  });
}

/** @throws TagstreamError `config` for a model trained on the corpus, because it has memorized the tags */
function requireUnseen(bytes: Uint8Array, file: string, corpus: readonly EncodedSentence[]): void {
  const sample = notedSample(bytes, file);
  for (const { sentence } of corpus) sample.look(sentence);
  if (!sample.isFound) return;
  throw new TagstreamError(
    'config',
    'the first model was trained on these sentences, so its predictions leak the gold tags',
    {
      place: { source: file },
      fix: 'name its pipeline file in from, so that it is trained on parts of the corpus',
    },
  );
}
