import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  identity,
  lastValueFrom,
  type MonoTypeOperatorFunction,
  type Observable,
  pipe,
  tap,
} from 'rxjs';
import { TagstreamError } from '../../../../engine/core/errors.js';
import type { EncodedSentence } from '../../../../engine/core/minibatch/encoded-sentence.js';
import type { Document } from '../../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../../engine/core/sentence/tagged-document.js';
import type { Scores, TrainingStep } from '../../../../engine/core/training/training-step.js';
import { versionId } from '../../../../engine/interfaces/model-address.js';
import type { Kernel } from '../../../../engine/kernels/kernel.js';
import { readModel } from '../../../../engine/models/files/model-file.js';
import type { Model } from '../../../../engine/models/model.js';
import { tokenize } from '../../../../engine/operators/tokenize.js';
import type { BadRecord } from '../../../../formats/bad-records/bad-record.js';
import type { Codec } from '../../../../formats/codecs/codec.js';
import { contentDigest } from '../../../../formats/files/node-parts.js';
import { requireApart } from '../../../../formats/files/require-apart.js';
import type { InputStream } from '../../../../formats/reading/open-input.js';
import {
  type DeadLetterOptions,
  DeadLetters,
  deadLetterPlace,
} from '../../../io/dead-letters/dead-letters.js';
import { deadLetterOptionsOf } from '../../definition/dead-letters.js';
import {
  dryPipeline,
  type LearningPipeline,
  learns,
  type Pipeline,
} from '../../definition/pipeline.js';
import { pipelineFiles, readNamedPipes, requireFiles } from '../../definition/pipeline-files.js';
import { sourceFiles } from '../../definition/places.js';
import { type RunContext, runContext } from '../../definition/run-context.js';
import { sinkCodec } from '../../open-sink.js';
import { readSentences, type SentenceReading } from '../../setup/read-sentences.js';
import { assembled, isWritten } from '../../setup/run-sink.js';
import { runSource } from '../../setup/run-source.js';
import { buildTraining } from '../../stages/build-training.js';
import { modelTokenizer } from '../../stages/chosen-tokenizer.js';
import { requireAble } from '../../tagging/run-tagging.js';
import { taggingRun } from '../../tagging/tag-stream.js';
import type { TaggingRun } from '../../tagging/tagging-run.js';
import { taggingStages } from '../../tagging/tagging-stages.js';

export interface DryRunOptions {
  /** Maximum number of records to read. */
  readonly limit: number;
  /** Destination of the model, instead of the file's `model`. */
  readonly model?: string | undefined;
  readonly kernel?: Kernel | undefined;
  /** Treatment of bad records, instead of the file's setting. */
  readonly deadLetters?: DeadLetterOptions | undefined;
  readonly stdin?: InputStream | undefined;
}

/**
 * Passes the first records through all stages of a pipeline, and writes nothing: no model, no records, no checkpoint,
 * no lock, no dead letters.
 *
 * @throws TagstreamError like `runPipeline`, for errors that would end a run within these records
 */
export async function dryRun(pipeline: Pipeline, options: DryRunOptions): Promise<DryRunReport> {
  const deadLetters = deadLetterPlace(options.deadLetters ?? deadLetterOptionsOf(pipeline));
  requireApart(pipelineFiles(pipeline, { model: options.model, deadLetters: deadLetters }));
  if (pipeline.source.options.from !== undefined) {
    throw new TagstreamError('config', 'a dry run would consume messages of the real run', {
      place: pipeline.place(['source']),
      fix: 'name a file with --set source={ndjson: {files: [FILE]}}',
    });
  }
  await requireFiles(pipeline);
  await readNamedPipes(pipeline);
  const dry = dryPipeline(pipeline, options.limit);
  const context = runContext(dry, { kernel: options.kernel });
  try {
    const { reading, ...seen } = await goThrough(dry, context, options);
    const test = dry.test === undefined ? null : await labelledIn(dry.test, reading);
    return { ...planOf(pipeline, options), ...seen, test };
  } finally {
    await context.scope.dispose();
  }
}

/** Counts bad records, and throws those that would end the run. */
class CountedBad extends DeadLetters {
  first: BadRecord | undefined;

  override add(bad: BadRecord, number?: number): void {
    this.first ??= bad;
    super.add(bad, number);
  }
}

async function goThrough(dry: Pipeline, context: RunContext, options: DryRunOptions) {
  const { policy, policies } = options.deadLetters ?? deadLetterOptionsOf(dry);
  const kept = policy === 'fail' ? policy : 'skip';
  const deadLetters = new CountedBad({
    policy: kept,
    policies: Object.fromEntries(
      Object.entries(policies ?? {}).map(([fault, own]) => [fault, own === 'fail' ? own : 'skip']),
    ),
  });
  const counts = { records: 0, sentences: 0, tokens: 0, labelled: 0 };
  const count = tap(({ sentence }: EncodedSentence) => {
    counts.sentences += 1;
    counts.tokens += sentence.tokens.length;
    if (sentence.tags !== undefined) counts.labelled += 1;
  });
  const { limit, stdin } = options;
  const given = { limit, deadLetters, ...(stdin === undefined ? {} : { stdin }) };
  const documents = () => runSource(dry, context, given);
  const { model, ...results } = learns(dry)
    ? await learned(dry, context, { documents, count })
    : await tagged(dry, taggingRun(dry, context, given), context, { documents, count });
  const first = deadLetters.first;
  return {
    ...counts,
    ...results,
    records: deadLetters.records,
    bad: deadLetters.total,
    firstBad:
      first === undefined
        ? null
        : first.error.at({ source: first.position.source, line: first.position.line }).message,
    labels: [...model.labels.tags],
    features: model.stateIndex.size + model.edgeIndex.size,
  };
}

/** The first records, and how their sentences are counted. */
interface First {
  readonly documents: () => Observable<Document>;
  readonly count: MonoTypeOperatorFunction<EncodedSentence>;
}

interface Seen {
  readonly model: Model;
  readonly reading: SentenceReading;
  /** Training loss in nats per token. */
  readonly loss: number | null;
  readonly heldOut: Scores | null;
  readonly firstOutput: string | null;
}

async function learned(
  dry: LearningPipeline,
  context: RunContext,
  { documents, count }: First,
): Promise<Seen> {
  const { plan } = dry;
  const training = buildTraining(plan, context);
  const { trainee, model, reading, start, tag, added } = training;
  const { score = identity } = (await training.open()) ?? {};
  const encode = pipe(training.encode, count);
  const sentences = documents().pipe(
    added.over('document'),
    tokenize(reading.tokenizer),
    added.over('sentence'),
  );
  const made =
    plan.kind === 'train'
      ? sentences.pipe(encode, trainee.over(start ?? (() => undefined)))
      : sentences.pipe(trainee.along(encode));
  let loss: number | null = null;
  let heldOut: Scores | null = null;
  const steps = made.pipe(
    score,
    tap(({ meanLoss, scores }: TrainingStep) => {
      loss = meanLoss;
      heldOut = scores ?? heldOut;
    }),
    added.over('training step'),
  );
  if (tag !== undefined) {
    const records = steps.pipe(
      tag,
      added.over('tagged sentence'),
      assembled(model, plan.decode!.options),
    );
    const firstOutput = await firstWritten(records, dry, sinkCodec(dry));
    return { model, reading, loss: null, heldOut: null, firstOutput };
  }
  const released = tap(({ contribution }: TrainingStep) => {
    for (const { sentence } of contribution.minibatch.sentences) sentence.delivery?.release();
  });
  await lastValueFrom(steps.pipe(released), { defaultValue: undefined });
  return { model, reading, loss, heldOut, firstOutput: null };
}

async function tagged(
  dry: Pipeline,
  run: TaggingRun,
  { paths, ledger }: RunContext,
  { documents, count: look }: First,
): Promise<Seen> {
  const { bytes, model } = run.model.take();
  requireAble(run, model);
  const modelId = run.modelVersion ? versionId(contentDigest([bytes])) : undefined;
  const tokenizer = modelTokenizer(model, run.tokenize);
  const stages = taggingStages(
    model,
    { ...run.options, modelId },
    { ...run.batching, ledger },
    { tokenization: tokenizer, look, added: run.added },
  );
  const firstOutput = await firstWritten(documents().pipe(stages), dry, run.source.codec);
  // The tagging model may merge features with equal weights, so they are counted as in its file.
  const { file, kernel, functions } = run.model.place;
  const whole = readModel(bytes, file, kernel, functions);
  return { model: whole, reading: { paths, tokenizer }, loss: null, heldOut: null, firstOutput };
}

/** Returns the first record in the sink's format, and releases all records. */
async function firstWritten(
  records: Observable<TaggedDocument>,
  { sink }: Pipeline,
  codec: Codec,
): Promise<string | null> {
  const { output = 'record' } = sink ?? {};
  let first: string | null = null;
  const taken = tap((record: TaggedDocument) => {
    if (isWritten(record, sink)) first ??= codec.write(record, { output });
    record.document.delivery?.release();
    record.document.delivery?.ack();
  });
  await lastValueFrom(records.pipe(taken), { defaultValue: undefined });
  return first;
}

async function labelledIn(
  test: NonNullable<Pipeline['test']>,
  reading: SentenceReading,
): Promise<number> {
  const sentences = await readSentences(test, reading);
  return sentences.filter(({ tags }) => tags !== undefined).length;
}

/** Returns the files that the run would read and write. */
function planOf(pipeline: Pipeline, { model, deadLetters }: DryRunOptions) {
  const { baseDirectory, sink, stages, trains } = pipeline;
  const path = (file: string) => (file === '-' ? file : resolve(baseDirectory, file));
  const ownModel = pipeline.model === undefined ? null : path(pipeline.model);
  return {
    pipeline: pipeline.name,
    format: pipeline.source.component.name,
    inputs: sourceFiles(pipeline).map(file => ({ file, bytes: bytesOf(file) })),
    stages: stages.map(({ component, options }) => ({ [component.name]: options })),
    writes: {
      model: !trains ? null : model === undefined ? ownModel : resolve(model),
      records: pipeline.plan.decode !== undefined ? path(sink?.file ?? '-') : null,
      checkpoints: pipeline.plan.checkpoint?.directory ?? null,
      deadLetters: (deadLetters ?? deadLetterOptionsOf(pipeline)).file ?? null,
    },
  };
}

function bytesOf(file: string): number | null {
  const stats = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.size : null;
}

/** The stages and files of a pipeline, with the results of its first records. */
export interface DryRunReport {
  readonly pipeline: string;
  readonly format: string;
  /** Inputs with their sizes; the size is absent for anything but a plain file. */
  readonly inputs: readonly { readonly file: string; readonly bytes: number | null }[];
  /** Stages with their options. */
  readonly stages: readonly Readonly<Record<string, unknown>>[];
  /** What a real run would write. */
  readonly writes: {
    readonly model: string | null;
    /** Destination of tagged records; `-` is the standard output. */
    readonly records: string | null;
    readonly checkpoints: string | null;
    readonly deadLetters: string | null;
  };
  /** Number of records read. */
  readonly records: number;
  readonly bad: number;
  /** The error of the first bad record. */
  readonly firstBad: string | null;
  readonly sentences: number;
  readonly tokens: number;
  /** Number of sentences with gold tags. */
  readonly labelled: number;
  readonly labels: readonly string[];
  readonly features: number;
  /** Training loss in nats per token. */
  readonly loss: number | null;
  /** Scores on the first held-out records. */
  readonly heldOut: Scores | null;
  /** Number of labelled sentences among the first ones of the test data. */
  readonly test: number | null;
  /** The first record as it would be written, with its line end. */
  readonly firstOutput: string | null;
}
