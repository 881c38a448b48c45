import { statSync } from 'node:fs';
import { lastValueFrom, takeWhile, tap } from 'rxjs';
import type { EncodedSentence } from '../../../../engine/core/minibatch/encoded-sentence.js';
import type { Document } from '../../../../engine/core/sentence/document.js';
import { isSectionFile } from '../../../../engine/models/files/section-file.js';
import { settleCorpus } from '../../../../engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../engine/models/model.js';
import type { ModelSpec } from '../../../../engine/models/model-spec.js';
import { tokenize } from '../../../../engine/operators/tokenize.js';
import { readsOnce } from '../../../../formats/reading/read-bytes.js';
import { readHead } from '../../../../formats/reading/read-head.js';
import { DeadLetters } from '../../../io/dead-letters/dead-letters.js';
import {
  dryPipeline,
  type LearningPipeline,
  learns,
  type Pipeline,
} from '../../definition/pipeline.js';
import { sourceFiles } from '../../definition/places.js';
import { type PipelinePaths, type RunContext, runContext } from '../../definition/run-context.js';
import { isToBeLearned } from '../../options/tokenize-options.js';
import type { OnlinePart } from '../../plan/plan.js';
import { runSource } from '../../setup/run-source.js';
import { buildTraining, type TrainingParts } from '../../stages/build-training.js';
import { firstPipeline, namedFirst } from '../stacked/first-pipeline.js';
import { jackknifeCost } from '../stacked/jackknife.js';
import type { CorpusSample, EstimatedPart } from './estimate-parts.js';
import {
  type EstimatedTraining,
  estimateTraining,
  grownSize,
  type TrainingEstimate,
  type TrainingSize,
  trainingSize,
} from './training-estimate.js';

/** The expected cost of training, and ways to reduce it. */
export interface ForeseenTraining extends TrainingEstimate {
  readonly smaller: readonly SmallerTraining[];
  /** Whether the model file is compact. */
  readonly compact: boolean;
  /** The trainings in their order, if there are others than that of the tags; the figures are those of all. */
  readonly parts?: readonly EstimatedPart[];
}

/**
 * Estimates the cost of training a pipeline file from the beginning of its corpus; undefined if that is impossible: for
 * streams, input that can be read only once, and optimizers and structures without measurements.
 *
 * @param sentences number of sentences in the whole corpus, if known
 * @throws TagstreamError like the run
 */
export async function estimatePipeline(
  pipeline: Pipeline,
  sentences?: number,
): Promise<ForeseenTraining | undefined> {
  if (trainedOnline(pipeline) === undefined || pipeline.source.component.generated !== undefined)
    return undefined;
  if (pipeline.source.options.from !== undefined) return undefined;
  const dry = dryPipeline(pipeline, 1);
  if (!learns(dry)) return undefined;
  const context = runContext(dry);
  try {
    const training = buildTraining(dry.plan, context);
    await training.open();
    const sized = await estimateSize(dry, training, context, sentences);
    if (sized === undefined) return undefined;
    const own = estimateOf(pipeline, training.model, sized.size);
    if (own === undefined) return undefined;
    const whole = trainsParts(pipeline)
      ? await withParts(own, pipeline, { model: training.model, context, ...sized })
      : own;
    return whole && (await withFirstModel(whole, pipeline, context.paths, sentences));
  } finally {
    await context.scope.dispose();
  }
}

/** Returns whether a pipeline trains more than its tags: a tokenizer or columns. */
export function trainsParts(pipeline: Pipeline): pipeline is LearningPipeline {
  if (!learns(pipeline)) return false;
  const { tokenize: chosen, columns } = pipeline.plan;
  return isToBeLearned(chosen?.options) || columns !== undefined;
}

/** Adds the cost of the tokenizer and of columns. */
async function withParts(
  own: ForeseenTraining,
  pipeline: LearningPipeline,
  {
    model,
    context,
    size,
    sample,
  }: SizedCorpus & { readonly model: Model; readonly context: RunContext },
): Promise<ForeseenTraining | undefined> {
  const given = givenOf(pipeline, model);
  // Loaded on demand: most pipelines have only tags.
  const { estimateParts } = await import('./estimate-parts.js');
  const parts = given && estimateParts(pipeline, context, sample, { size, given });
  if (parts === undefined) return undefined;
  const others = Math.max(...parts.slice(0, -1).map(({ memory }) => memory));
  const kept = parts.at(-1)!.memory - own.memory;
  const files = parts.map(({ model: bytes }) => bytes);
  return {
    ...own,
    parts,
    seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
    memory: Math.max(others, own.memory + kept),
    model: files.reduce((sum, bytes) => sum && bytes && sum + bytes),
    smaller: own.smaller.map(({ how, estimate }) => ({
      how,
      estimate: { ...estimate, memory: Math.max(others, estimate.memory + kept) },
    })),
  };
}

/** Adds the cost of the first model that a pipeline names. */
async function withFirstModel(
  own: ForeseenTraining,
  pipeline: Pipeline,
  paths: PipelinePaths,
  sentences: number | undefined,
): Promise<ForeseenTraining | undefined> {
  const named = namedFirst(pipeline, paths);
  if (named === undefined) return own;
  const { file, bytes } = named;
  if (isSectionFile(bytes)) return { ...own, model: own.model && own.model + bytes.length };
  const text = new TextDecoder().decode(bytes);
  const workers = Math.min(pipeline.firstWorkers, jackknifeCost + 1);
  const first = await estimatePipeline(firstPipeline(text, file, pipeline), sentences);
  return (
    first && {
      ...own,
      seconds: own.seconds + (jackknifeCost * first.seconds) / workers,
      memory: Math.max(own.memory, workers * first.memory),
      model: own.model && first.model && own.model + first.model,
    }
  );
}

/**
 * Estimates a training whose corpus has been read.
 *
 * @param read bytes of the process after reading the corpus
 */
export function estimateOf(
  pipeline: Pipeline,
  model: Model,
  size: TrainingSize,
  read?: number,
): ForeseenTraining | undefined {
  const given = givenOf(pipeline, model);
  if (given === undefined) return undefined;
  const { compact } = given;
  const estimate = estimateTraining(size, { ...given, read });
  return estimate && { ...estimate, smaller: smallerTrainings(size, { ...given, read }), compact };
}

/** Returns the inputs of the estimate of the tags; undefined for optimizers and structures without measurements. */
function givenOf(pipeline: Pipeline, { spec }: Model): EstimatedTraining | undefined {
  const part = trainedOnline(pipeline);
  if (part === undefined || !isChain(spec)) return undefined;
  const { component: optimizer, options } = part;
  const workers = pipeline.train?.workers ?? 1;
  const compact = pipeline.train?.compact ?? pipeline.plan.features.options.preset !== undefined;
  const { epochs = 1, seeds } = pipeline.train ?? {};
  return { spec, optimizer, options, epochs, seeds, workers, compact };
}

/** Returns the optimizer of a pipeline that trains online, on a corpus in memory and on this machine. */
function trainedOnline({ plan }: Pipeline): OnlinePart | undefined {
  return plan.kind === 'train' && plan.optimizer.kind === 'online' ? plan.optimizer : undefined;
}

/** Returns whether a model is a chain of labels with linear scores. */
function isChain({ scorer, hidden, segments, graph, layers, parts, codes }: ModelSpec): boolean {
  return [scorer, hidden, segments, graph, layers, parts, codes].every(one => one === undefined);
}

/** A way to reduce a training: settings for `--set`, and the resulting cost. */
export interface SmallerTraining {
  readonly how: string;
  readonly estimate: TrainingEstimate;
}

/** Observed feature-label pairs per feature; the same for features that occur at least twice. */
const pairsPerFeature = 1.6;
const pairsPerFrequent = 2.7;

/** Share of features that occur at least twice. */
const frequentShare = 0.36;

/** Returns ways to reduce a training on the same corpus, with shares measured on the benchmark's corpora. */
function smallerTrainings(
  size: TrainingSize,
  given: EstimatedTraining,
): readonly SmallerTraining[] {
  const { features } = size;
  const frequent = features * frequentShare;
  const observed = 'stages.featurize.support=observed --set stages.featurize.compressed=true';
  const ways = [
    { how: observed, size: { ...size, pairs: features * pairsPerFeature }, isObserved: true },
    { how: 'stages.featurize.cutoff=2', size: { ...size, features: frequent }, isObserved: false },
    {
      how: `${observed} --set stages.featurize.cutoff=2`,
      size: { ...size, features: frequent, pairs: frequent * pairsPerFrequent },
      isObserved: true,
    },
  ];
  return ways.flatMap(({ how, size: smaller, isObserved }) => {
    if (isObserved && given.spec.compressed === true) return [];
    const spec = isObserved
      ? { ...given.spec, support: 'observed' as const, compressed: true as const }
      : given.spec;
    const estimate = estimateTraining(smaller, { ...given, spec });
    return estimate === undefined ? [] : [{ how, estimate }];
  });
}

/** Number of tokens in the sample, and if there are more trainings than that of the tags. */
const mostSampled = 200_000;
const sampledForParts = 3000;

/** The size of the training of the tags in a corpus, and the beginning of the corpus for other trainings. */
interface SizedCorpus {
  readonly size: TrainingSize;
  readonly sample: CorpusSample;
}

/**
 * Estimates the size of a training from the first 200,000 tokens of its corpus, or 3,000 if a tokenizer or columns are
 * trained too: in a longer corpus, features and pairs are assumed to grow further by the same power of the size as in
 * the sample. Returns undefined for input that can be read only once. Consumes its model.
 *
 * @param sentences number of sentences in the whole corpus, if known
 */
export async function estimateSize(
  pipeline: Pipeline,
  { model, reading, encode }: TrainingParts,
  context: RunContext,
  sentences?: number,
): Promise<SizedCorpus | undefined> {
  const files = sourceFiles(pipeline);
  if (files.length === 0 || files.some(readsOnce)) return undefined;
  const hasParts = trainsParts(pipeline);
  const sampled = hasParts ? sampledForParts : mostSampled;
  const kept: Document[] = [];
  const corpus: EncodedSentence[] = [];
  let tokens = 0;
  let last: { readonly source: string; readonly end: number } | undefined;
  let half: TrainingSize | undefined;
  const take = tap((encoded: EncodedSentence) => {
    const { delivery } = encoded.sentence;
    last = delivery?.position ?? last;
    delivery?.release();
    delivery?.ack();
    if (encoded.gold === undefined && encoded.allowed === undefined) return;
    corpus.push(encoded);
    tokens += encoded.length;
    if (half === undefined && 2 * tokens >= sampled) half = trainingSize(model, corpus);
  });
  const documents = runSource(pipeline, context, {
    deadLetters: new DeadLetters({ policy: 'skip', maxBadInRow: Number.POSITIVE_INFINITY }),
  });
  const beginning = documents.pipe(
    tap(document => hasParts && kept.push(document)),
    tokenize(reading.tokenizer),
    encode,
    take,
    takeWhile(() => tokens < sampled),
  );
  await lastValueFrom(beginning, { defaultValue: undefined });
  if (corpus.length === 0) return undefined;
  const all = trainingSize(model, settleCorpus(model, corpus));
  const sampleOf = (times: number): CorpusSample => ({
    ...{ documents: kept, times },
    sentences: hasParts ? corpus.map(({ sentence }) => sentence) : [],
  });
  if (tokens < sampled || half === undefined || last === undefined) {
    return { size: all, sample: sampleOf(1) };
  }
  const { limit } = pipeline.source.options;
  const times = Math.min(
    // A short sample may have longer sentences than the rest.
    hasParts || sentences === undefined
      ? (await bytesOf(files)) / (await bytesUntil(files, last))
      : sentences / corpus.length,
    typeof limit === 'number' ? limit / corpus.length : Number.POSITIVE_INFINITY,
  );
  return { size: grownSize(half, all, times), sample: sampleOf(times) };
}

/** Returns the total number of bytes of all files, decompressed. */
async function bytesOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += await unpackedBytes(file);
  return bytes;
}

/** Returns the number of bytes up to the end of a record. */
async function bytesUntil(
  files: readonly string[],
  { source, end }: { readonly source: string; readonly end: number },
): Promise<number> {
  return end + (await bytesOf(files.slice(0, Math.max(0, files.indexOf(source)))));
}

async function unpackedBytes(file: string): Promise<number> {
  return /\.(?:gz|zst)$/.test(file) ? (await readHead(file, 1)).fileBytes : statSync(file).size;
}
