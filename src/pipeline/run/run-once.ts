import { join } from 'node:path';
import { lastValueFrom, type Observable, tap } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import type { TaggedSentence } from '../../core/sentence/sentence.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import type { Predictions } from '../../features/context/predictions.js';
import { lockDirectory } from '../../io/checkpoints/directory-lock.js';
import { outputNoteName } from '../../io/checkpoints/directory-names.js';
import { NoteFile } from '../../io/checkpoints/note-file.js';
import { requireApart } from '../../io/files/require-apart.js';
import type { Output } from '../../io/writing/open-output.js';
import { ResumableFile } from '../../io/writing/resumable-file.js';
import { BatchLearner } from '../../models/learning/batch-learner.js';
import { checkpointDirectory } from '../definition/checkpoint-directory.js';
import type { RunEvents } from '../definition/events.js';
import { heldOutSources } from '../definition/held-out-source.js';
import { modelFileOf } from '../definition/model-file-of.js';
import { optimizerOf } from '../definition/optimizer-of.js';
import type { Pipeline } from '../definition/pipeline.js';
import { pipelineFiles } from '../definition/pipeline-files.js';
import { readNamedPipes } from '../definition/read-named-pipes.js';
import { requireFiles } from '../definition/require-files.js';
import { type RunGiven, RunSetup } from '../definition/run-setup.js';
import { sourceFiles } from '../definition/source-files.js';
import { encodedCorpus } from '../extraction/encoded-corpus.js';
import { openSink } from '../open-sink.js';
import { passesIn } from '../options/passes-in.js';
import { recordEndOf } from '../options/record-end.js';
import { noteAnew } from '../setup/note-anew.js';
import { outputStateOf, positionOf, restorePart, restoreRun } from '../setup/restore-run.js';
import { runOperators } from '../setup/run-operators.js';
import type { RunOptions, RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { assembled, runSink } from '../setup/run-sink.js';
import { runSource } from '../setup/run-source.js';
import { KeptWhenStopped } from '../tagging/progress/kept-when-stopped.js';
import { tagStream } from '../tagging/tag-stream.js';
import { formWarning, listWarnings, openingsWarning, sameFileWarning } from './data-warnings.js';
import { finishRun, requirePlace } from './finish-run.js';
import { kernelOf } from './kernel-of.js';
import { requireNotShorter } from './require-not-shorter.js';

/** A result before the rejected records are counted. */
export type Counted = Omit<RunResult, 'rejected'>;

/** What brings the first model of stacked ones, once the stages are there. */
export type FirstModelMaker = (
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
) => Promise<Predictions | undefined>;

/** Runs a pipeline whose model is a file. */
export async function runOnce(
  pipeline: Pipeline,
  options: RunWithDeadLetters,
  makeFirst?: FirstModelMaker,
): Promise<Counted> {
  requireApart(pipelineFiles(pipeline, { ...options, deadLetters: options.deadLetters.place }));
  const directory = checkpointDirectory(pipeline);
  const lock = directory === undefined ? undefined : lockDirectory(directory);
  try {
    await options.deadLetters.open(options.signal);
    await requireFiles(pipeline);
    const modelFile = pipeline.trains ? modelFileOf(pipeline, options) : undefined;
    if (modelFile !== undefined) requirePlace(modelFile);
    const requireLength = lengthCheck(pipeline, modelFile, options);
    requireLength?.();
    await readNamedPipes(pipeline, options.signal);
    const { baseDirectory, source, catalogue, train, config } = pipeline;
    const events = checkedEvents(options.events ?? {}, requireLength);
    const { status, signal } = options;
    const kernel = options.kernel ?? kernelOf(pipeline);
    const given = {
      ...{ baseDirectory, source, catalogue, train, config },
      ...{ events, kernel, status, signal, lock },
    };
    if (!pipeline.trains) return await tagStream(pipeline, given, options);
    const restored = options.resume === true ? restoreRun(pipeline, events) : undefined;
    if (options.resume !== true && directory !== undefined) noteAnew(directory, events);
    if (options.resume === true) {
      await options.deadLetters.goOnAfter(sourceFiles(pipeline), positionOf(restored));
    }
    return await trainRun(pipeline, { ...given, modelFile, restored }, options, makeFirst);
  } finally {
    lock?.release();
  }
}

/** Refuses to replace the model of a longer training, as far as is known when it is called. */
type LengthCheck = (sentences?: number) => void;

/** Undefined where nothing is replaced, where that is wanted, and where the run continues what is there. */
function lengthCheck(
  pipeline: Pipeline,
  file: string | undefined,
  { keepLonger = false, resume = false, limit }: RunOptions,
): LengthCheck | undefined {
  const optimizer = optimizerOf(pipeline);
  const epochs = passesIn(pipeline.train);
  if (file === undefined || optimizer === undefined || epochs === undefined) return undefined;
  if (!keepLonger || resume) return undefined;
  const isLimited = (pipeline.source.options.limit ?? limit) !== undefined;
  return sentences => {
    const limitedTo = isLimited ? sentences : undefined;
    requireNotShorter(file, { optimizer, epochs, limitedTo });
  };
}

function checkedEvents(events: RunEvents, check: LengthCheck | undefined): RunEvents {
  if (check === undefined) return events;
  return {
    ...events,
    onCorpus: sentences => {
      check(sentences);
      events.onCorpus?.(sentences);
    },
  };
}

async function trainRun(
  pipeline: Pipeline,
  given: RunGiven,
  options: RunWithDeadLetters,
  makeFirst: FirstModelMaker | undefined,
): Promise<Counted> {
  const setup = new RunSetup(given);
  options.onSetup?.(setup);
  const { history } = setup;
  if (given.restored?.history !== undefined) {
    restorePart(given.restored, 'history', state => history.restore(state));
  }
  try {
    return await runStages(pipeline, setup, options, makeFirst);
  } finally {
    await setup.end();
    await setup.cluster?.close();
  }
}

async function runStages(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunWithDeadLetters,
  makeFirst: FirstModelMaker | undefined,
): Promise<Counted> {
  const { train, events, restored } = setup;
  const { reading, learning } = runOperators(pipeline, setup, options);
  const corpus = encodedCorpus(pipeline, setup, options);
  warnOfData(pipeline, setup);
  for (const prepare of setup.preparations) await prepare();
  setup.model.first = await makeFirst?.(pipeline, setup, options);
  options.status?.begin();
  if (restored !== undefined) events.onResume?.(setup.learner.sentencesSeen);
  if (setup.stopping?.ended === true || (restored !== undefined && hasSeparated(setup))) {
    // The run that wrote the checkpoint had come to its end.
    return {
      ...finished(pipeline, setup, 0, false),
      ...(await finishRun(pipeline, setup, options)),
    };
  }
  let stream: Observable<unknown> = corpus ?? runSource(pipeline, setup, options);
  const operators = corpus === undefined ? [...reading, ...learning] : learning;
  const all = (source: Observable<unknown>) =>
    operators.reduce((before, operator) => before.pipe(operator), source);
  stream = stream.pipe(all);
  const tags = pipeline.stages.at(-1)!.component.name === 'tag';
  const records = tags
    ? await writeTagged(stream as Observable<TaggedSentence>, pipeline, setup, options)
    : await drain(stream as Observable<TrainingStep>);
  const stopped = options.signal?.aborted ?? false;
  const result = finished(pipeline, setup, records, stopped);
  // Nothing is learned of a stream that is ended before its first labelled record.
  const nothing = train?.epochs !== undefined || setup.model.labels.size === 0;
  if (stopped && nothing) return result;
  // Its threads have memory that the finished model and the test data can have.
  await setup.end();
  const end = await finishRun(pipeline, setup, options);
  const { cluster } = setup;
  await cluster?.finish();
  return {
    ...result,
    ...end,
    ...(cluster?.report === undefined ? {} : { cluster: cluster.report }),
  };
}

/** Warns of data that is not what it should be: at once, and when the corpus has been read. */
function warnOfData(pipeline: Pipeline, setup: RunSetup): void {
  const { events, model } = setup;
  for (const { source, what } of heldOutSources(pipeline)) {
    const warning = sameFileWarning(pipeline, source, what);
    if (warning !== undefined) events.onWarning?.('same-file', warning);
  }
  const settled = setup.onSettled;
  setup.onSettled = corpus => {
    requireValues(pipeline, setup);
    const warning = openingsWarning(model, corpus);
    if (warning !== undefined) events.onWarning?.('span-openings', warning);
    const form = formWarning(model);
    if (form !== undefined) events.onWarning?.('tag-form', form);
    for (const problem of listWarnings(model, corpus)) events.onWarning?.('list-match', problem);
    settled?.(corpus);
  };
}

/** A column of CoNLL-U that holds nothing but `_` in all of the corpus is not filled in, though `_` may be a value. */
function requireValues({ source }: Pipeline, { model }: RunSetup): void {
  const { tags } = model.labels;
  if (source.component.name !== 'conllu' || tags.length !== 1 || tags[0] !== '_') return;
  throw new TagstreamError(
    'empty-sentence',
    `the column ${source.options.tag} holds nothing but _`,
    {
      fix: 'name the column of the tags in the source, as tag: upos',
    },
  );
}

/** Whether the run so far has ended at the end of a pass, as there was nothing left to learn. */
function hasSeparated({ learner, train, model }: RunSetup): boolean {
  if (train?.epochs === undefined || learner instanceof BatchLearner) return false;
  const { corpusSize } = model;
  return corpusSize !== undefined && learner.sentencesSeen % corpusSize === 0 && learner.separated;
}

function finished(
  pipeline: Pipeline,
  { learner }: RunSetup,
  records: number,
  stopped: boolean,
): Counted {
  const { sentencesSeen } = learner;
  const reproducible = pipeline.train?.mode !== 'hogwild';
  return { sentencesSeen, records, stopped, reproducible };
}

/** Writes what was tagged on the way; into a file that can be resumed where there are checkpoints. */
async function writeTagged(
  sentences: Observable<TaggedSentence>,
  pipeline: Pipeline,
  setup: RunSetup,
  { stdout, signal, resume = false }: RunOptions,
): Promise<number> {
  const file = setup.path(pipeline.sink?.file ?? '-');
  let output: Output;
  const directory = checkpointDirectory(pipeline);
  if (file === '-' || directory === undefined) {
    output = await openSink(pipeline, setup, { stdout, signal });
  } else {
    setup.output = new ResumableFile(file, {
      // A run that died before its first checkpoint may have closed files.
      from: outputStateOf(setup.restored) ?? (resume ? { bytes: 0, total: 0 } : undefined),
      recordEnd: recordEndOf(pipeline.source.component.name),
      rotation: pipeline.sink?.rotate,
      notes: new NoteFile(join(directory, outputNoteName), setup.lock, true),
      onMoved: setup.events.onMoved,
    });
    output = new KeptWhenStopped(setup.output, { isStopped: () => signal?.aborted === true });
  }
  return runSink(assembled(sentences, setup), pipeline, setup, output);
}

/** Runs a stream of training steps to its end; each record leaves memory with its step. */
async function drain(steps: Observable<TrainingStep>): Promise<number> {
  const released = steps.pipe(
    tap(step => {
      for (const { sentence } of step.contribution.minibatch.sentences)
        sentence.delivery?.release();
    }),
  );
  await lastValueFrom(released, { defaultValue: undefined });
  return 0;
}
