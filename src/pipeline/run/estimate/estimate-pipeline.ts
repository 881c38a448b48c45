import { statSync } from 'node:fs';
import { lastValueFrom, takeWhile, tap } from 'rxjs';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { DeadLetters } from '../../../io/dead-letters/dead-letters.js';
import { readsOnce } from '../../../io/reading/read-bytes.js';
import { readHead } from '../../../io/reading/read-head.js';
import { isSectionFile } from '../../../models/files/section-file.js';
import { settleCorpus } from '../../../models/learning/settle-corpus.js';
import type { Model } from '../../../models/model.js';
import type { ModelSpec } from '../../../models/model-spec.js';
import { tokenize } from '../../../operators/tokenize.js';
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
import {
  type EstimatedTraining,
  estimateTraining,
  type TrainingEstimate,
  type TrainingSize,
  trainingSize,
} from './training-estimate.js';

/** The expected cost of training, and ways to reduce it. */
export interface ForeseenTraining extends TrainingEstimate {
  readonly smaller: readonly SmallerTraining[];
  /** Whether the model file is compact. */
  readonly compact: boolean;
  /** Trainings other than that of the tags, which the figures exclude. */
  readonly further?: readonly string[];
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
    const size = await estimateSize(dry, training, context, sentences);
    const own = size && estimateOf(pipeline, training.model, size);
    return own && (await withFirstModel(own, pipeline, context.paths, sentences));
  } finally {
    await context.scope.dispose();
  }
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
  const part = trainedOnline(pipeline);
  if (part === undefined || !isChain(model.spec)) return undefined;
  const { component: optimizer, options } = part;
  const workers = pipeline.train?.workers ?? 1;
  const compact = pipeline.train?.compact ?? pipeline.plan.features.options.preset !== undefined;
  const { epochs = 1, seeds } = pipeline.train ?? {};
  const given = { spec: model.spec, optimizer, options, epochs, seeds, workers, compact, read };
  const estimate = estimateTraining(size, given);
  const further = learns(pipeline) ? furtherTrainings(pipeline.plan) : [];
  return estimate && { ...estimate, smaller: smallerTrainings(size, given), compact, further };
}

/** Returns the trainings of a plan other than that of the tags: columns and the tokenizer. */
function furtherTrainings({ tokenize: chosen, columns }: LearningPipeline['plan']): string[] {
  return [
    ...(isToBeLearned(chosen?.options) ? ['the tokenizer'] : []),
    ...Object.keys(columns?.options ?? {}).map(name => `the column ${name}`),
  ];
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

/** Number of tokens in the sample. */
const sampled = 200_000;

/**
 * Estimates the size of a training from the first 200,000 tokens of its corpus: in a longer corpus, features and pairs
 * are assumed to grow further by the same power of the size as in the sample. Returns undefined for input that can be
 * read only once. Consumes its model.
 *
 * @param sentences number of sentences in the whole corpus, if known
 */
export async function estimateSize(
  pipeline: Pipeline,
  { model, reading, encode }: TrainingParts,
  context: RunContext,
  sentences?: number,
): Promise<TrainingSize | undefined> {
  const files = sourceFiles(pipeline);
  if (files.length === 0 || files.some(readsOnce)) return undefined;
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
  const sample = documents.pipe(
    tokenize(reading.tokenizer),
    encode,
    take,
    takeWhile(() => tokens < sampled),
  );
  await lastValueFrom(sample, { defaultValue: undefined });
  if (corpus.length === 0) return undefined;
  const all = trainingSize(model, settleCorpus(model, corpus));
  if (tokens < sampled || half === undefined || last === undefined) return all;
  const times =
    sentences === undefined
      ? (await bytesOf(files)) / (await bytesUntil(files, last))
      : sentences / corpus.length;
  const doublings = Math.log2(tokens / half.tokens);
  // Returns the count at exactly half of the sample, interpolated by the power.
  const foreseen = (before: number, after: number) =>
    grownBy(before === 0 ? 0 : after / (after / before) ** (1 / doublings), after, times);
  return {
    sentences: Math.round(all.sentences * Math.max(1, times)),
    tokens: Math.round(tokens * Math.max(1, times)),
    columns: all.columns,
    active: all.active,
    ...(all.valued === undefined ? {} : { valued: all.valued }),
    labels: foreseen(half.labels, all.labels),
    features: foreseen(half.features, all.features),
    edges: all.edges === 0 ? 0 : foreseen(half.edges, all.edges),
    pairs: all.pairs === undefined ? undefined : foreseen(half.pairs!, all.pairs),
  };
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

/** The usual exponent of growth of word features. */
const usualPower = 0.75;

/**
 * Extrapolates a count to a larger part of a corpus from the counts in half of a sample and in all of it: distinct
 * items grow by a power of the size. If the half has no items, the exponent is that of word features.
 *
 * @param half number of items in half of the sample
 * @param all number of items in the whole sample
 * @param times size of the larger part, as a multiple of the sample
 * @example
 * grownBy(100, 200, 4) // => 800
 * grownBy(8, 8, 100) // => 8
 */
export function grownBy(half: number, all: number, times: number): number {
  if (times <= 1) return all;
  const power = half === 0 ? usualPower : Math.min(1, Math.max(0, Math.log2(all / half)));
  return Math.round(all * times ** power);
}
