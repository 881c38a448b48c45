import { statSync } from 'node:fs';
import type { Observable } from 'rxjs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import { grouped } from '../../../engine/core/wording/numbers.js';
import type { Predictions } from '../../../engine/features/context/predictions.js';
import { structureOf } from '../../../engine/inference/structures/structures.js';
import { columnOfTags } from '../../../engine/models/files/bundle-models.js';
import { readModel } from '../../../engine/models/files/model-file.js';
import { type ModelHeader, readModelHeader } from '../../../engine/models/files/model-header.js';
import { trainingNoteOf } from '../../../engine/models/files/model-notes.js';
import type { ShardExecutor } from '../../../engine/models/group/mixing/shard-executor.js';
import { DeploymentGate } from '../../../engine/models/learning/deployment-gate.js';
import type { JoinedPositions } from '../../../engine/models/learning/waiting-records.js';
import type { Model } from '../../../engine/models/model.js';
import { tokenize } from '../../../engine/operators/tokenize.js';
import { RawText } from '../../../formats/codecs/conllu/raw-text.js';
import { requireApart } from '../../../formats/files/require-apart.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { lockDirectory } from '../../io/checkpoints/directory.js';
import { threadFile } from '../../thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import { unkeptRecords } from '../definition/dead-letters.js';
import type { RunEvents } from '../definition/events.js';
import { type LearningPipeline, learns, type Pipeline } from '../definition/pipeline.js';
import { pipelineFiles, readNamedPipes, requireFiles } from '../definition/pipeline-files.js';
import { heldOutSources, modelFileOf, sourceFiles } from '../definition/places.js';
import { type RunContext, runContext } from '../definition/run-context.js';
import { extractHere } from '../extraction/extract-here.js';
import { type ExtractionPool, extractInWorkers } from '../extraction/extract-in-workers.js';
import type { ReadingReport } from '../extraction/reading.js';
import type { OnSettled } from '../learners/trainee.js';
import { epochsOf } from '../options/train-options.js';
import type { TrainPlan } from '../plan/plan.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import { noteAnew } from '../setup/checkpoints.js';
import { readDocuments, readSentences, type SentenceReading } from '../setup/read-sentences.js';
import { positionOf, requireCorpus, restoreRun } from '../setup/restore-run.js';
import type { RunOptions, RunResult, RunWithDeadLetters } from '../setup/run-options.js';
import { runSource } from '../setup/run-source.js';
import { type ChosenSource, filesOf, leastLimit, selects } from '../sources/source-component.js';
import { buildTraining, type TrainingParts } from '../stages/build-training.js';
import { buildModel } from '../stages/featurize.js';
import { createCluster } from '../stages/optimize.js';
import { tokenizerInFile } from '../stages/tokenizer-file.js';
import type { Deployment } from '../tagging/registered/deployment.js';
import { tagStream } from '../tagging/tag-stream.js';
import { learnTokenizer } from '../text/learn-tokenizer.js';
import {
  formWarning,
  listWarnings,
  openingsWarning,
  sameFileWarning,
  TrainingCorpus,
} from './data-warnings.js';
import { finishRun, requirePlace } from './finish-run.js';
import { kernelOf } from './kernel-of.js';
import { learnFromStream, type OpenTraining, trainOnCorpus } from './learn.js';

/** A result before rejected records are counted. */
export type Counted = Omit<RunResult, 'rejected'>;

/** Observes a training run from the inside, to measure it or to estimate its cost. */
export interface TrainingObserver {
  /** Awaited before any input is read. */
  readonly onTrainee?: (training: TrainingParts) => void | Promise<void>;
  /** Receives the settled corpus before anything is learned from it. */
  readonly onSettled?: (corpus: readonly EncodedSentence[], model: Model) => void;
}

/** Inputs of a run that come from the program itself. */
export interface RunParts {
  readonly observer?: TrainingObserver | undefined;
  /** Creates the first of two stacked models, once the parts of the second are ready. */
  readonly makeFirst?: (
    pipeline: Pipeline,
    context: RunContext,
    options: RunOptions,
  ) => Promise<{ readonly model: Predictions | undefined; readonly onSettled?: OnSettled }>;
  /** Trains the shards, instead of the cluster that the pipeline names. */
  readonly executor?: ShardExecutor | undefined;
}

/** Runs a pipeline whose model is a file. */
export async function runOnce(
  pipeline: Pipeline,
  options: RunWithDeadLetters,
  parts: RunParts = {},
): Promise<Counted> {
  requireApart(pipelineFiles(pipeline, { ...options, deadLetters: options.deadLetters.place }));
  const directory = pipeline.plan.checkpoint?.directory;
  const lock = directory === undefined ? undefined : lockDirectory(directory);
  try {
    await options.deadLetters.open(options.signal);
    await requireFiles(pipeline);
    const modelFile = pipeline.trains ? modelFileOf(pipeline, options) : undefined;
    if (modelFile !== undefined) requirePlace(modelFile);
    const requireLength = lengthCheck(pipeline, modelFile, options);
    requireLength?.();
    await readNamedPipes(pipeline, options.signal);
    const events = checkedEvents(options.events ?? {}, requireLength);
    const { status, signal, kernel = kernelOf(pipeline) } = options;
    const given = { events, kernel, status, signal, lock };
    if (!learns(pipeline)) return await tagStream(pipeline, runContext(pipeline, given), options);
    const restored = options.resume === true ? restoreRun(pipeline, events) : undefined;
    if (options.resume !== true && directory !== undefined) noteAnew(directory, events);
    if (options.resume === true) {
      const { deadLetters } = options;
      await deadLetters.resumeAfter(sourceFiles(pipeline), positionOf(restored));
      await goOnWithLabels(pipeline, restored, deadLetters);
    }
    const context = runContext(pipeline, { ...given, restored });
    try {
      return await trainRun({ pipeline, modelFile, context, options, parts });
    } finally {
      await context.scope.dispose();
    }
  } finally {
    lock?.release();
  }
}

/** Ensures that no rejected label is written twice. */
async function goOnWithLabels(
  { plan: { join }, source, baseDirectory }: Pipeline,
  restored: RunContext['restored'],
  deadLetters: RunWithDeadLetters['deadLetters'],
): Promise<void> {
  if (join === undefined) return;
  const { labels, earliest } = (restored?.join?.json.positions ?? {}) as Partial<
    JoinedPositions & { readonly earliest: Position }
  >;
  // A label waiting for its record may be rejected long after it was read.
  const from = earliest === undefined ? labels : { ...earliest, end: earliest.start };
  if (join.labels === undefined && from === undefined) return;
  const files = sourceFiles({ source: join.labels ?? source, baseDirectory });
  await deadLetters.resumeAfter(files, from);
}

/** Refuses to replace the model of a longer training run, as far as its length is known at the time of the call. */
type LengthCheck = (sentences?: number) => void;

/**
 * Returns the check; undefined if nothing is replaced, if replacement is intended, or if the run continues the existing
 * model.
 */
function lengthCheck(
  pipeline: Pipeline,
  file: string | undefined,
  { keepLonger = false, resume = false, limit }: RunOptions,
): LengthCheck | undefined {
  const optimizer = pipeline.plan.optimizer?.component.name;
  const epochs = epochsOf(pipeline.train);
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

/** A learning run, before any part of it is built. */
interface LearningRun {
  readonly pipeline: LearningPipeline;
  readonly modelFile: string | undefined;
  readonly context: RunContext;
  readonly options: RunWithDeadLetters;
  readonly parts: RunParts;
}

async function trainRun(run: LearningRun): Promise<Counted> {
  const { pipeline, modelFile, options, parts } = run;
  const { plan } = pipeline;
  const { observer = {} } = parts;
  const cluster = createCluster(plan, run.context, parts.executor);
  // Ended before the model file is made, so that the model and the test data can use the threads' memory.
  const context = { ...run.context, scope: run.context.scope.nested() };
  const { events, restored, signal } = context;
  const training = buildTraining(plan, context, cluster);
  const { model, trainee, reading, evaluation, encode } = training;
  const encoded =
    plan.kind === 'train' ? encodedCorpus(plan, training, context, options) : undefined;
  warnOfSameFiles(pipeline, events);
  await observer.onTrainee?.(training);
  const { score, heldOut } = (await training.open()) ?? {};
  const first = await parts.makeFirst?.(pipeline, context, options);
  model.first = first?.model;
  await learnTokenizerOf(pipeline, model, context);
  await learnColumnsOf(pipeline, training, context, options);
  options.status?.begin();
  const resumed = restored && { sentencesBefore: trainee.learner.sentencesSeen };
  if (resumed !== undefined) events.onResume?.(resumed.sentencesBefore);
  const corpus = new TrainingCorpus(plan.source, reading);
  const deployment = await openDeployment(pipeline, training, run.context, options);
  const ended = { pipeline, training, score, modelFile, deployment, context, heldOut, corpus };
  if (evaluation?.stopping?.ended === true || (restored !== undefined && trainee.isComplete)) {
    // The run that wrote the checkpoint had finished.
    return { ...resumed, ...counted(ended, 0, false), ...(await finishRun(ended, options)) };
  }
  const documents = () => runSource(pipeline, context, options);
  let written: Pick<RunResult, 'records' | 'questions'> = { records: 0 };
  if (plan.kind === 'learn') written = await learnFromStream(documents(), ended, options);
  else {
    const onSettled = inTurn([
      sentences => events.onCorpus?.(sentences.length),
      sentences => corpus.keep(sentences),
      sentences => training.history.settle(sentences),
      first?.onSettled,
      sentences => checkCorpus(plan, model, sentences, events),
      sentences => observer.onSettled?.(sentences, model),
      sentences => restored && requireCorpus(restored, sentences.length),
      training.start,
    ]);
    const sentences = encoded ?? documents().pipe(tokenize(reading.tokenizer), encode);
    await trainOnCorpus(sentences, ended, onSettled);
  }
  const stopped = signal?.aborted ?? false;
  const result = { ...resumed, ...counted(ended, written.records, stopped), ...written };
  if (stopped && plan.kind === 'train') return result;
  if (plan.kind === 'learn' && model.labels.size === 0) {
    if (stopped) return result;
    // The records are written, or the labels come later, and a resumed run learns from them.
    if ((plan.decode ?? plan.ask ?? plan.checkpoint) !== undefined) {
      events.onWarning?.('nothing-learned', withoutModel);
      return result;
    }
  }
  await context.scope.dispose();
  const end = await finishRun(ended, options);
  const report = await cluster?.finish?.();
  return { ...result, ...end, ...(report === undefined ? {} : { cluster: report }) };
}

const withoutModel =
  'no record had a label, so there is no model yet; if some should have, check the field or column of the tags in the source';

/** Opens the deployment of a run's models, if the pipeline requests it; the end of the run closes it. */
async function openDeployment(
  { deploy, plan }: Pick<LearningPipeline, 'deploy' | 'plan'>,
  { model, trainee: { contest } }: Pick<TrainingParts, 'model' | 'trainee'>,
  { events, status, scope, restored, kernel, catalogue }: RunContext,
  { registry = {}, resume = false }: Pick<RunOptions, 'registry' | 'resume'>,
): Promise<Deployment | undefined> {
  if (deploy === undefined) return undefined;
  // Loaded on demand: most runs deploy nothing.
  const { Deployment: Deploying } = await import('../tagging/registered/deployment.js');
  const comparing = plan.deploy && {
    gate: new DeploymentGate({ records: plan.deploy.records, model, contest }),
    read: (bytes: Uint8Array) => readModel(bytes, deploy.to, kernel, catalogue.functions),
  };
  const deployment = await Deploying.open(
    deploy.to,
    registry,
    { events, status },
    { isResumed: resume, state: restored?.deployment },
    comparing,
  );
  scope.defer(() => deployment.close());
  return deployment;
}

/**
 * Learns the tokenizer of a model from the texts of its corpus, if the plan requests one, or takes it from the file
 * that the plan names.
 *
 * @throws (rejects with) TagstreamError `empty-sentence` if no record has a text with tokens
 */
async function learnTokenizerOf(
  pipeline: LearningPipeline,
  model: Model,
  { paths, signal, events }: Pick<RunContext, 'paths' | 'signal' | 'events'>,
): Promise<void> {
  const { source, tokenize: chosen, train } = pipeline.plan;
  if (chosen?.options.tokenizer !== 'learned' || model.tokenizer !== undefined) return;
  if (chosen.options.model !== undefined) {
    model.tokenizer = tokenizerInFile(chosen.options.model);
    return;
  }
  events.onPart?.('the tokenizer');
  const raw = new RawText();
  const documents = await readDocuments(source, { paths, signal }, unkeptRecords(pipeline));
  for (const document of documents) raw.add(document);
  const { locale } = chosen.options;
  try {
    model.tokenizer = await learnTokenizer(raw.gold, { locale, seed: train.options.seed, signal });
  } catch (thrown) {
    // An orderly stop also ends the training that follows.
    if (signal?.aborted !== true) throw thrown;
  }
}

/**
 * Learns the further columns of a model, if the plan names any.
 *
 * @throws (rejects with) TagstreamError like `learnColumns`
 */
async function learnColumnsOf(
  pipeline: LearningPipeline,
  { model, reading }: Pick<TrainingParts, 'model' | 'reading'>,
  context: RunContext,
  { limit }: Pick<RunOptions, 'limit'>,
): Promise<void> {
  const { plan } = pipeline;
  if (plan.columns === undefined) return;
  const { source } = plan;
  const limited = { ...source.options, limit: leastLimit(source.options.limit, limit) };
  const sentences = await readSentences(
    { ...source, options: limited },
    reading,
    unkeptRecords(pipeline),
  );
  const { signal } = context;
  // The corpus already has tokens; a model without its learned tokenizer would be damaged.
  const divided =
    plan.tokenize?.options.tokenizer === 'learned' ? { ...plan, tokenize: undefined } : plan;
  const { learnColumns } = await import('../columns/learn-columns.js');
  try {
    model.bundle = await learnColumns({
      ...{ plan, sentences, signal },
      column: columnOfTags(model.spec) ?? 'tags',
      createModel: () => buildModel(divided, { ...context, restored: undefined }),
      onColumn: name => context.events.onPart?.(`the column "${name}"`),
    });
  } catch (thrown) {
    // An orderly stop also ends the training that follows.
    if (signal?.aborted !== true) throw thrown;
  }
}

/** Calls several receivers of a corpus one after the other. */
function inTurn(receivers: readonly (OnSettled | undefined)[]): OnSettled {
  return corpus => {
    for (const receive of receivers) receive?.(corpus);
  };
}

/** Warns about held-out data that is also training data. */
function warnOfSameFiles(pipeline: Pipeline, events: RunEvents): void {
  for (const { source, what } of heldOutSources(pipeline)) {
    const warning = sameFileWarning(pipeline, source, what);
    if (warning !== undefined) events.onWarning?.('same-file', warning);
  }
}

/** Rejects a corpus without tags, and warns about suspicious ones. */
function checkCorpus(
  { source }: TrainPlan,
  model: Model,
  corpus: readonly EncodedSentence[],
  events: RunEvents,
): void {
  requireValues(source, model);
  const warning = openingsWarning(model, corpus);
  if (warning !== undefined) events.onWarning?.('span-openings', warning);
  const form = formWarning(model);
  if (form !== undefined) events.onWarning?.('tag-form', form);
  for (const problem of listWarnings(model, corpus)) events.onWarning?.('list-match', problem);
}

/** Rejects a corpus in which every tag is empty: see `Codec.emptyTag`. */
function requireValues({ component, options }: ChosenSource, { labels: { tags } }: Model): void {
  if (tags.length !== 1 || tags[0] !== component.codec(options).emptyTag) return;
  const problem = `every value of the column ${options.tag} is ${tags[0]}`;
  throw new TagstreamError('empty-sentence', problem, {
    fix: 'name the column of the tags in the source, such as tag: upos',
  });
}

function counted({ training, pipeline }: OpenTraining, records: number, stopped: boolean): Counted {
  const { sentencesSeen } = training.trainee.learner;
  const reproducible = pipeline.plan.train.options.mode !== 'hogwild';
  const labels = training.waiting?.counts;
  return { sentencesSeen, records, stopped, reproducible, ...(labels && { labels }) };
}

/** The length of a run's training. */
interface RunLength {
  readonly optimizer: string;
  readonly epochs: number;
  /** Number of labelled sentences in its corpus, if a limit may drop some; undefined before it is read. */
  readonly limitedTo?: number | undefined;
}

/**
 * Refuses to replace the model of a longer training run: one with more passes of the same optimizer, or with more
 * sentences than a limit lets this run read. A damaged model, or one that records nothing about its training, is
 * replaced; any other file is not.
 *
 * @throws TagstreamError `usage`
 */
function requireNotShorter(file: string, { optimizer, epochs, limitedTo }: RunLength): void {
  const header = headerOf(file);
  if (header === undefined) return;
  const refuse = (had: string, has: string) => {
    throw kept(`${file} is the model of a longer training: ${had}, this run ${has}`);
  };
  const before = trainingNoteOf(header);
  if (before?.optimizer === optimizer && epochs < before.epochs) {
    refuse(`it had up to ${grouped(before.epochs)} passes`, `has ${grouped(epochs)}`);
  }
  const { trainingSentences: all } = header;
  if (limitedTo !== undefined && all !== null && limitedTo < all) {
    refuse(`it had ${grouped(all)} sentences`, `with its limit has ${grouped(limitedTo)}`);
  }
}

function kept(problem: string): TagstreamError {
  return new TagstreamError('usage', problem, {
    fix: 'write another file with --model NAME, or replace it with --force',
  });
}

/** Returns the header of a model file; undefined if it cannot be read. */
function headerOf(file: string): ModelHeader | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return undefined;
  try {
    return readModelHeader(readBytes(file), file);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    if (thrown.code !== 'model-format') return undefined;
    throw kept(`${file} is not a model and would be overwritten`);
  }
}

/** The options of a run's input. */
interface InputOptions extends ReadingReport {
  readonly stdin?: InputStream | undefined;
  readonly sharedReading?: number | undefined;
  readonly limit?: number | undefined;
}

/** The inputs of encoding a corpus. */
interface EncodedReading {
  readonly model: Model;
  readonly reading: Pick<SentenceReading, 'tokenizer'>;
}

/** Number of bytes below which starting workers takes longer than reading the corpus. */
const defaultSharedReading = 2 ** 24;

/**
 * Returns the encoded corpus of a pipeline that makes passes over it, read in blocks: by the workers, which start at
 * once, if there are several and the corpus is long, else in this thread. Undefined if the corpus must be read record
 * by record.
 */
function encodedCorpus(
  plan: TrainPlan,
  { model, reading: { tokenizer } }: EncodedReading,
  { paths, catalogue, scope }: Pick<RunContext, 'paths' | 'catalogue' | 'scope'>,
  given: InputOptions,
): Observable<EncodedSentence> | undefined {
  const { deadLetters, onBlank, status, stdin, sharedReading = defaultSharedReading } = given;
  const { source, features, tokenize, train } = plan;
  const { component, options } = source;
  const { workers } = train.options;
  if (component.generated !== undefined) return undefined;
  // Both count the records of the whole input.
  if (selects(options) || given.limit !== undefined) return undefined;
  if (options.from !== undefined || !canJoin(model)) return undefined;
  // Block reading only keeps labelled sentences.
  if (features.options.unlabelled !== undefined) return undefined;
  const files = filesOf(options).map(file => paths.resolve(file));
  const chosen = {
    name: component.name,
    options: component.codecOptions(options),
    replay: component.replays,
  };
  const codec = component.codec(options);
  const input = { files, codec, model, stdin, deadLetters, onBlank, status };
  if (workers === 1 || bytesOf(files) < sharedReading) {
    return extractHere({ ...input, chosen, tokenizer });
  }
  const pool: ExtractionPool = new WorkerPool(
    threadFile('runtime/pipeline/extraction/extract-worker'),
    {
      size: workers,
    },
  );
  scope.defer(() => pool.close());
  // Workers load the functions of plug-ins themselves.
  const { functions: _, ...spec } = model.spec;
  return extractInWorkers({
    ...input,
    pool,
    setup: {
      spec,
      modules: modulesForThreads(catalogue.plugins),
      codec: chosen,
      tokenize: tokenize?.options,
    },
  });
}

/** Returns the total size of all files; infinite if one is not a regular file, such as the standard input. */
function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return sum + (stats?.isFile() === true ? stats.size : Number.POSITIVE_INFINITY);
  }, 0);
}

/**
 * Returns whether the workers' labels and features can be added to the model directly. A frozen model, as in a resumed
 * run, accepts nothing new; with a cutoff or feature selection, features must be counted over the whole corpus, like
 * the words of a dictionary. Labels with hidden states have more numbers than workers know, and other structures than a
 * chain have other labels and rows. The previous sentences of a document, and statistics on words in the corpus, are
 * only known after reading the whole corpus.
 */
function canJoin({ frozen, spec, extractor }: Model): boolean {
  const { index, dictionary, hidden, encode } = spec;
  const whole = index.mode === 'exact' && (index.cutoff > 1 || index.information !== undefined);
  const more = [dictionary, hidden, encode].some(is => is !== undefined) || extractor.readsContext;
  return !frozen && !whole && !more && structureOf(spec).name === 'chain';
}
