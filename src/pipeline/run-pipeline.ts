import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import {
  filter,
  lastValueFrom,
  type Observable,
  type OperatorFunction,
  takeUntil,
  tap,
} from 'rxjs';
import type { Document } from '../core/document.js';
import type { EncodedSentence } from '../core/encoded-sentence.js';
import { TagstreamError } from '../core/errors.js';
import { joined } from '../core/joined.js';
import type { TaggedSentence } from '../core/sentence.js';
import type { TaggedDocument } from '../core/tagged-document.js';
import type { Scores, TrainingStep } from '../core/training-step.js';
import { atomicWrite } from '../io/atomic-write.js';
import { DeadLetters } from '../io/dead-letters.js';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { fileError } from '../io/file-error.js';
import { makeDirectory } from '../io/make-directory.js';
import { openOutput } from '../io/open-output.js';
import type { Kernel } from '../kernels/kernel.js';
import { ParallelLearner } from '../models/crew/parallel-learner.js';
import { Decoder } from '../models/decoder.js';
import { modelPieces, readModel } from '../models/model-file.js';
import { scoreSentences } from '../models/score-sentences.js';
import { assemble } from '../operators/assemble.js';
import { passes } from '../operators/passes.js';
import { tokenize } from '../operators/tokenize.js';
import { isSpanScheme } from '../text/tag-scheme.js';
import { aborted } from './aborted.js';
import { deadLetterOptionsOf } from './dead-letter-options-of.js';
import type { RunEvents } from './events.js';
import { corpusInWorkers } from './extraction/corpus-in-workers.js';
import { heldSentences } from './held-sentences.js';
import type { Pipeline } from './pipeline.js';
import { readSentences } from './read-sentences.js';
import { requireFiles } from './require-files.js';
import { positionOf, restoreRun } from './restore-run.js';
import { RunSetup } from './run-setup.js';
import { finishBeforeError } from './tagging/finish-before-error.js';

/** How a pipeline is run. */
export interface RunOptions {
  /** Where the trained model goes, in place of the file's `model`; from the working directory. */
  readonly model?: string;
  /** Go on from the newest checkpoint. */
  readonly resume?: boolean;
  /** Takes bad records; closed by the caller. Absent: made as the pipeline says. */
  readonly deadLetters?: DeadLetters;
  readonly events?: RunEvents;
  /** Ends the run in order: reading stops, a checkpoint is written. */
  readonly signal?: AbortSignal;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly onBlank?: () => void;
  /** For the model; the default one if absent. */
  readonly kernel?: Kernel;
  /** Bytes of a corpus from which on several workers read it. Default 16 MiB. */
  readonly sharedReading?: number;
}

/** What a run came to. */
export interface RunResult {
  /** Sentences learned from, over all passes. */
  readonly sentencesSeen: number;
  /** Records written. */
  readonly records: number;
  /** The model file that was written. */
  readonly model?: { readonly file: string; readonly bytes: number };
  /** The pass that the model is from, where the best was kept. */
  readonly bestPass?: number;
  /** Scores of the written model on the test data. */
  readonly test?: Scores;
  /** The run was ended by its signal. */
  readonly stopped: boolean;
  /** False where another run of the same pipeline gives other weights: after hogwild. */
  readonly reproducible: boolean;
}

/**
 * Runs a pipeline from its source to its end: trains and writes a model, tags records, or both.
 *
 * @throws TagstreamError for what ends the run; no half-written file is left
 */
export async function runPipeline(pipeline: Pipeline, options: RunOptions): Promise<RunResult> {
  if (options.deadLetters !== undefined) return run(pipeline, options as LetteredRun);
  const deadLetters = new DeadLetters(deadLetterOptionsOf(pipeline));
  try {
    return await run(pipeline, { ...options, deadLetters });
  } finally {
    deadLetters.close();
  }
}

type LetteredRun = RunOptions & { readonly deadLetters: DeadLetters };

async function run(pipeline: Pipeline, options: LetteredRun): Promise<RunResult> {
  const events = options.events ?? {};
  const restored = options.resume === true ? restoreRun(pipeline, events) : undefined;
  const { baseDirectory, source, train, config } = pipeline;
  refuseReplacing(pipeline, options);
  await requireFiles(pipeline);
  const target = modelFile(pipeline, options);
  if (pipeline.trains && target !== undefined) requirePlace(target);
  const setup = new RunSetup({
    ...{ baseDirectory, source, train, config, events, restored },
    kernel: options.kernel,
  });
  try {
    return await runStages(pipeline, setup, options);
  } finally {
    for (const end of setup.endings) await end();
  }
}

async function runStages(
  pipeline: Pipeline,
  setup: RunSetup,
  options: LetteredRun,
): Promise<RunResult> {
  const { train, events, restored } = setup;
  const { reading, learning } = operatorsOf(pipeline, setup, options);
  const corpus = corpusInWorkers(pipeline, setup, options);
  for (const prepare of setup.preparations) await prepare();
  if (restored !== undefined) events.onResume?.(setup.learner.sentencesSeen);
  if (setup.stopping?.ended === true) {
    // The run that wrote the checkpoint had come to its end.
    return { ...finished(pipeline, setup, 0, false), ...(await finish(pipeline, setup, options)) };
  }
  let stream: Observable<unknown> = corpus ?? documents(pipeline, setup, options);
  const operators = corpus === undefined ? [...reading, ...learning] : learning;
  const all = (source: Observable<unknown>) =>
    operators.reduce((before, operator) => before.pipe(operator), source);
  // Where a bad record ends it all, what came before is written.
  stream = stream.pipe(pipeline.trains ? all : finishBeforeError(all));
  const tags = pipeline.stages.at(-1)!.component.name === 'tag';
  const records = tags
    ? await write(stream as Observable<TaggedSentence>, pipeline, setup, options)
    : await drain(stream as Observable<TrainingStep>);
  const stopped = options.signal?.aborted ?? false;
  const result = finished(pipeline, setup, records, stopped);
  if (!pipeline.trains || (stopped && train?.epochs !== undefined)) return result;
  return { ...result, ...(await finish(pipeline, setup, options)) };
}

function finished(
  pipeline: Pipeline,
  setup: RunSetup,
  records: number,
  stopped: boolean,
): RunResult {
  const sentencesSeen = pipeline.trains ? setup.learner.sentencesSeen : 0;
  const reproducible = pipeline.train?.mode !== 'hogwild';
  return { sentencesSeen, records, stopped, reproducible };
}

/** Where the trained model goes. */
function modelFile(pipeline: Pipeline, options: RunOptions): string | undefined {
  if (options.model !== undefined) return resolve(options.model);
  return pipeline.model === undefined ? undefined : resolve(pipeline.baseDirectory, pipeline.model);
}

/** A file is written anew by each run: going on would lose what the stopped run had written. */
function refuseReplacing({ sink, file: source }: Pipeline, { resume }: RunOptions): void {
  if (resume !== true || sink === undefined || sink.file === '-') return;
  throw new TagstreamError('config', 'a resumed run would replace the file of its sink', {
    place: { source },
    fix: 'write to the standard output and append it to a file',
  });
}

/** Finds out before a long training that its model could not be written afterwards. */
function requirePlace(file: string): void {
  try {
    makeDirectory(dirname(file));
    // Fails where it is no directory.
    readdirSync(dirname(file));
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    throw fileError('write', file, cause);
  }
}

function documents(
  pipeline: Pipeline,
  setup: RunSetup,
  options: LetteredRun,
): Observable<Document> {
  const { component, options: chosen } = pipeline.source;
  const position = pipeline.train?.epochs === undefined ? positionOf(setup.restored) : undefined;
  const files = (chosen.files as string[]).map(file => setup.path(file));
  return documentSource({
    files,
    codec: component.codec(chosen),
    deadLetters: options.deadLetters,
    budget: (chosen.budget as number | undefined) ?? Math.max(10_000, 2 * heldSentences(pipeline)),
    selection: { split: chosen.split, limit: chosen.limit } as never,
    // What is not a file goes on by itself where it was left.
    resumeAfter: position !== undefined && files.includes(position.source) ? position : undefined,
    onBlank: options.onBlank,
    stdin: options.stdin,
  });
}

/** Operators from one thing to another, as they follow each other. */
type Operators = readonly OperatorFunction<unknown, unknown>[];

/**
 * The operators of all stages, and what the file leaves unsaid between them: those from documents to encoded
 * sentences, and the others.
 */
function operatorsOf(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): { readonly reading: Operators; readonly learning: Operators } {
  let readers = 0;
  const operators: OperatorFunction<unknown, unknown>[] = [];
  const add = <In, Out>(operator: OperatorFunction<In, Out>) =>
    operators.push(operator as OperatorFunction<unknown, unknown>);
  for (const [i, { component, options: chosen }] of pipeline.stages.entries()) {
    if (i === 0 && component.name !== 'tokenize') add(tokenize());
    const created = component.create(chosen, setup);
    if (component.name === 'batch' && pipeline.train?.epochs !== undefined) {
      const { epochs, seed, shuffle } = pipeline.train;
      add((source: Observable<never>) => {
        const skip = setup.learner.sentencesSeen;
        const { onCorpus } = setup.events;
        const options = { epochs, seed, shuffle, skip, onSettled: beginWith(setup) };
        return source.pipe(
          passes(setup.model, onCorpus === undefined ? options : { ...options, onCorpus }),
        );
      });
    }
    add(created);
    if (component.gives === 'encoded sentence') readers = operators.length;
    // An unfinished minibatch is dropped at a stop, so that the next run packs it the same way.
    if (component.name === 'batch' && options.signal !== undefined) {
      add(takeUntil(aborted(options.signal)));
    }
    if (component.gives === 'training step' && setup.events.onStep !== undefined) {
      const last = pipeline.stages[i + 1]?.component.gives !== 'training step';
      if (last) add(tap((step: TrainingStep) => setup.events.onStep?.(step)));
    }
  }
  return { reading: operators.slice(0, readers), learning: operators.slice(readers) };
}

/** Tells a learner with several threads the corpus. */
function beginWith({ learner }: RunSetup): (corpus: readonly EncodedSentence[]) => void {
  return corpus => {
    if (learner instanceof ParallelLearner) learner.begin(corpus);
  };
}

async function write(
  sentences: Observable<TaggedSentence>,
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): Promise<number> {
  const { file = '-', output = 'record', only = 'all' } = pipeline.sink ?? {};
  const codec = pipeline.source.component.codec(pipeline.source.options);
  const target = await openOutput(setup.path(file), { stdout: options.stdout });
  const assembled = sentences.pipe(
    assemble({ scores: setup.scores, spans: () => isSpanScheme(setup.model.scheme) }),
    filter(tagged => {
      const wanted = only === 'all' || tagged.gold === undefined;
      if (!wanted) settleDelivery(tagged);
      return wanted;
    }),
  );
  const { records } = await writeDocuments(assembled, target, codec, { output }, flush => {
    setup.flushSink = flush;
  });
  return records;
}

function settleDelivery({ document }: TaggedDocument): void {
  document.delivery?.release();
  document.delivery?.ack();
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

/** Writes the model, and scores what was written on the test data. */
async function finish(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): Promise<Pick<RunResult, 'model' | 'bestPass' | 'test'>> {
  const file = modelFile(pipeline, options);
  if (setup.model.labels.size === 0) {
    throw new TagstreamError(
      'empty-sentence',
      'no labelled record has come, so there is no model',
      {
        fix: 'check the source and the field or column of its tags',
      },
    );
  }
  const best = setup.stopping?.bestModel;
  const pieces = best === undefined ? modelPieces(setup.learner) : [best];
  if (file !== undefined) atomicWrite(file, pieces);
  let test: Scores | undefined;
  if (pipeline.test !== undefined) {
    const model = readModel(joined(pieces), file ?? '<model>', setup.kernel);
    const sentences = await readSentences(pipeline.test, setup);
    const encoded = sentences.map(sentence => model.encodeKnown(sentence));
    test = scoreSentences(model, model.parameters, new Decoder(model.kernel), encoded);
  }
  return {
    ...(file === undefined
      ? {}
      : { model: { file, bytes: pieces.reduce((sum, piece) => sum + piece.length, 0) } }),
    ...(best === undefined ? {} : { bestPass: setup.stopping!.bestPass }),
    ...(test === undefined ? {} : { test }),
  };
}
