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
import type { RunStatus } from '../core/run-status.js';
import type { TaggedSentence } from '../core/sentence.js';
import type { TaggedDocument } from '../core/tagged-document.js';
import type { Scores, TrainingStep } from '../core/training-step.js';
import { atomicWrite } from '../io/atomic-write.js';
import { contentDigest } from '../io/content-digest.js';
import type { DeadLetters } from '../io/dead-letters.js';
import { writeDocuments } from '../io/document-sink.js';
import { type DocumentSourceOptions, documentSource } from '../io/document-source.js';
import { fileError } from '../io/file-error.js';
import type { Budget } from '../io/gate.js';
import { makeDirectory } from '../io/make-directory.js';
import { sourceName } from '../io/open-input.js';
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
import type { RunEvents } from './events.js';
import { corpusInWorkers } from './extraction/corpus-in-workers.js';
import { heldSentences } from './held-sentences.js';
import type { Pipeline } from './pipeline.js';
import { readSentences } from './read-sentences.js';
import { requireTagger } from './reload/require-tagger.js';
import { requireFiles } from './require-files.js';
import { positionOf, requireCorpus, requireInput, restoreRun } from './restore-run.js';
import { type RunGiven, RunSetup } from './run-setup.js';
import type { BudgetOptions } from './sources/common-options.js';
import { runTagging } from './tagging/run-tagging.js';
import { taggingModel } from './tagging/tagging-model.js';
import { timed } from './timed.js';

/** How a pipeline is run. */
export interface RunOptions {
  /** Where the trained model goes, in place of the file's `model`; from the working directory. */
  readonly model?: string;
  /** Go on from the newest checkpoint. */
  readonly resume?: boolean;
  /** Takes bad records. Closed by the caller. */
  readonly deadLetters: DeadLetters;
  readonly events?: RunEvents;
  /** Is kept up to date while the run goes on, for whoever watches it. */
  readonly status?: RunStatus | undefined;
  /** Ends the run in order: reading stops, a checkpoint is written. */
  readonly signal?: AbortSignal;
  /** Each asks for the model of a pipeline that only tags to be read again. */
  readonly reloads?: Observable<void>;
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
  /** The run was ended by its signal, before its input had ended. */
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
  const events = options.events ?? {};
  const restored = options.resume === true ? restoreRun(pipeline, events) : undefined;
  const { baseDirectory, source, train, config } = pipeline;
  refuseReplacing(pipeline, options);
  await requireFiles(pipeline);
  const target = modelFile(pipeline, options);
  if (pipeline.trains && target !== undefined) requirePlace(target);
  const given: RunGiven = {
    ...{ baseDirectory, source, train, config, events, restored },
    kernel: options.kernel,
    status: options.status,
  };
  if (!pipeline.trains) return tagStream(pipeline, given, options);
  const setup = new RunSetup(given);
  try {
    return await runStages(pipeline, setup, options);
  } finally {
    for (const end of setup.endings) await end();
  }
}

async function tagStream(
  pipeline: Pipeline,
  given: RunGiven,
  options: RunOptions,
): Promise<RunResult> {
  const setup = new RunSetup(given);
  let ended = false;
  const reading = {
    signal: options.signal,
    onEnd: () => {
      ended = true;
    },
  };
  const records = await runTagging({
    documents: documents(pipeline, setup, options, reading),
    makeStages: () =>
      taggingOf(pipeline, new RunSetup({ ...given, ledger: setup.ledger }), options),
    write: tagged => write(tagged, pipeline, setup, options),
    ...{ events: given.events, reloads: options.reloads },
  });
  return finished(pipeline, setup, records, !ended && options.signal?.aborted === true);
}

/** All stages as one, with the model as its file is now. */
function taggingOf(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): OperatorFunction<Document, TaggedDocument> {
  const { reading, learning } = operatorsOf(pipeline, setup, options);
  requireTagger(setup.model, taggingModel(pipeline) ?? pipeline.file);
  return source => {
    let stream: Observable<unknown> = source;
    for (const operator of [...reading, ...learning]) stream = stream.pipe(operator);
    return assembled(stream as Observable<TaggedSentence>, setup);
  };
}

async function runStages(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): Promise<RunResult> {
  const { train, events, restored } = setup;
  const { reading, learning } = operatorsOf(pipeline, setup, options);
  const corpus = corpusInWorkers(pipeline, setup, options);
  for (const prepare of setup.preparations) await prepare();
  options.status?.begin();
  if (restored !== undefined) events.onResume?.(setup.learner.sentencesSeen);
  if (setup.stopping?.ended === true) {
    // The run that wrote the checkpoint had come to its end.
    return { ...finished(pipeline, setup, 0, false), ...(await finish(pipeline, setup, options)) };
  }
  let stream: Observable<unknown> = corpus ?? documents(pipeline, setup, options);
  for (const operator of corpus === undefined ? [...reading, ...learning] : learning) {
    stream = stream.pipe(operator);
  }
  const tags = pipeline.stages.at(-1)!.component.name === 'tag';
  const records = tags
    ? await write(assembled(stream as Observable<TaggedSentence>, setup), pipeline, setup, options)
    : await drain(stream as Observable<TrainingStep>);
  const stopped = options.signal?.aborted ?? false;
  const result = finished(pipeline, setup, records, stopped);
  if (stopped && train?.epochs !== undefined) return result;
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
  options: RunOptions,
  reading: Partial<DocumentSourceOptions> = {},
): Observable<Document> {
  const { component, options: chosen } = pipeline.source;
  const position = pipeline.train?.epochs === undefined ? positionOf(setup.restored) : undefined;
  const files = (chosen.files as string[]).map(file => setup.path(file));
  // The standard input goes on by itself where it was left.
  const resumeAfter = position?.source === sourceName('-') ? undefined : position;
  if (resumeAfter !== undefined) requireInput(setup.restored!, resumeAfter);
  return documentSource({
    files,
    codec: component.codec(chosen),
    deadLetters: options.deadLetters,
    budget: budgetOf(pipeline),
    ledger: setup.ledger,
    selection: { split: chosen.split, limit: chosen.limit } as never,
    resumeAfter,
    onBlank: options.onBlank,
    status: options.status,
    stdin: options.stdin,
    ...reading,
  });
}

/** Most bytes of records under way where nothing is said: minibatches that are learned from wait to be filled. */
const trainingBytes = 64 * 2 ** 20;

function budgetOf(pipeline: Pipeline): Partial<Budget> {
  const { budget, budgetBytes } = pipeline.source.options as BudgetOptions;
  const bytes = budgetBytes ?? (pipeline.trains ? trainingBytes : undefined);
  return {
    items: budget ?? Math.max(10_000, 2 * heldSentences(pipeline)),
    ...(bytes === undefined ? {} : { bytes }),
  };
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
    if (component.name === 'batch' && pipeline.trains && options.signal !== undefined) {
      add(takeUntil(aborted(options.signal)));
    }
    const { status } = options;
    if (component.name === 'batch' && status !== undefined) add(timed(status.batches));
    if (component.name === 'optimize' && status !== undefined) {
      add(
        tap(({ sentencesSeen, meanLoss }: TrainingStep) => {
          status.sentencesSeen = sentencesSeen;
          status.meanLoss = meanLoss;
        }),
      );
    }
    if (component.gives === 'training step' && setup.events.onStep !== undefined) {
      const last = pipeline.stages[i + 1]?.component.gives !== 'training step';
      if (last) add(tap((step: TrainingStep) => setup.events.onStep?.(step)));
    }
  }
  return { reading: operators.slice(0, readers), learning: operators.slice(readers) };
}

/** Makes sure that it is the corpus of the run so far, and tells a learner with several threads. */
function beginWith({ learner, restored }: RunSetup): (corpus: readonly EncodedSentence[]) => void {
  return corpus => {
    if (restored !== undefined) requireCorpus(restored, corpus.length);
    if (learner instanceof ParallelLearner) learner.begin(corpus);
  };
}

function assembled(
  sentences: Observable<TaggedSentence>,
  setup: RunSetup,
): Observable<TaggedDocument> {
  const spans = () => isSpanScheme(setup.model.scheme);
  return sentences.pipe(assemble({ scores: setup.scores, spans }));
}

async function write(
  tagged: Observable<TaggedDocument>,
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): Promise<number> {
  const { file = '-', output = 'record', only = 'all' } = pipeline.sink ?? {};
  const codec = pipeline.source.component.codec(pipeline.source.options);
  const target = await openOutput(setup.path(file), { stdout: options.stdout });
  const selected = tagged.pipe(
    filter(record => {
      const wanted = only === 'all' || record.gold === undefined;
      if (!wanted) settleDelivery(record);
      return wanted;
    }),
  );
  const onFlush = (flush: () => void) => {
    setup.flushSink = flush;
  };
  const hooks = { onFlush, ledger: setup.ledger, status: options.status };
  const { records } = await writeDocuments(selected, target, codec, { output }, hooks);
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
  if (options.status !== undefined) options.status.modelDigest = contentDigest(pieces);
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
