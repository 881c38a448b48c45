import type { EncodedSentence } from '../../../../engine/core/minibatch/encoded-sentence.js';
import type { Document } from '../../../../engine/core/sentence/document.js';
import type { Sentence } from '../../../../engine/core/sentence/sentence.js';
import { createModel } from '../../../../engine/models/create-model.js';
import { columnOfTags } from '../../../../engine/models/files/bundle-models.js';
import { settleCorpus } from '../../../../engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../engine/models/model.js';
import type { OptimizerComponent } from '../../../../engine/optimizers/optimizer.js';
import { optimizers } from '../../../../engine/optimizers/optimizers.js';
import { RawText } from '../../../../formats/codecs/conllu/raw-text.js';
import {
  type ColumnSample,
  folds,
  mostPasses,
  sampleColumns,
} from '../../columns/learn-columns.js';
import type { LearningPipeline } from '../../definition/pipeline.js';
import type { RunContext } from '../../definition/run-context.js';
import { isToBeLearned } from '../../options/tokenize-options.js';
import type { Training } from '../../plan/plan.js';
import { buildModel } from '../../stages/featurize.js';
import { characterTraining, epochsFor, tokenizerOptimizer } from '../../text/learn-tokenizer.js';
import {
  type EstimatedTraining,
  estimateTraining,
  grownBy,
  grownSize,
  type TrainingSize,
  trainingSize,
} from './training-estimate.js';

/** The approximate cost of one of several trainings of a run. */
export interface EstimatedPart {
  /** What is trained: `tokenizer`, the name of a column, or `tags`. */
  readonly what: string;
  /** Number of state features. */
  readonly features: number;
  readonly seconds: number;
  /** Peak number of bytes of the whole process during this training. */
  readonly memory: number;
  /** Bytes in the model file; undefined if they depend on what is learned. */
  readonly model: number | undefined;
}

/** The beginning of a corpus. */
export interface CorpusSample {
  readonly documents: readonly Document[];
  readonly sentences: readonly Sentence[];
  /** Size of the corpus as a multiple of the sample. */
  readonly times: number;
}

/** The training of the tags, with its size in the whole corpus. */
export interface EstimatedTags {
  readonly size: TrainingSize;
  readonly given: EstimatedTraining;
}

/** Bytes per character of the records from which a tokenizer is learned, and per token of those of columns. */
const characterBytes = 300;
const tokenBytes = 1500;

/** Microseconds per character and per token of such records, and per token for the labels of a column. */
const characterTime = 7;
const readTime = 20;
const labelTime = 10;

/** Factor of the bytes per feature if each word is learned once: few of its weights are zero. */
const wordBytes = 1.6;

/** Power of its size by which the uncertain characters of a text grow: the more text, the more contexts are certain. */
const uncertainPower = 2 / 3;

/** Bytes per certain context of a tokenizer. */
const contextBytes = 4;

/** Share of the corpus of a model of parts, and that of its features. */
const foldShare = (folds - 1) / folds;
const foldFeatures = 0.8;

/**
 * Estimates the trainings of a text pipeline in their order: the tokenizer, the columns and the tags. What they learn
 * from is made from a sample of the corpus as the run makes it; features, labels and words grow with the corpus by the
 * power by which they grow from half of the sample to all of it.
 *
 *     time = characters * reading + sum over trainings (own time + folds * time of a fold, if it is predicted)
 *
 * Columns that others read are predicted by models of parts, each of three quarters of the corpus and at most five
 * passes; those of the tags count as part of the tags. Returns undefined if a part has an optimizer without measurements.
 */
export function estimateParts(
  { plan }: LearningPipeline,
  context: RunContext,
  sample: CorpusSample,
  { size, given }: EstimatedTags,
): EstimatedPart[] | undefined {
  const { columns, predictsTags } =
    plan.columns === undefined
      ? { columns: [], predictsTags: false }
      : columnsOf(plan, context, sample.sentences);
  const parts = [
    ...(isToBeLearned(plan.tokenize?.options) ? [estimateTokenizer(plan, sample)] : []),
    ...columns.map(column => estimateColumn(plan, column, sample.times, size.tokens)),
    withFolds('tags', { size, given }, predictsTags, size.tokens),
  ];
  return parts.includes(undefined) ? undefined : (parts as EstimatedPart[]);
}

function columnsOf(
  plan: LearningPipeline['plan'],
  context: RunContext,
  sentences: readonly Sentence[],
): ReturnType<typeof sampleColumns> {
  const divided = plan.tokenize?.options.tokenizer === 'learned' ? undefined : plan.tokenize;
  const createBase = () => buildModel({ ...plan, tokenize: divided }, context);
  const column = columnOfTags(createBase().spec) ?? 'tags';
  return sampleColumns({ plan, sentences, column, createModel: createBase });
}

function estimateTokenizer(
  { tokenize: chosen }: LearningPipeline['plan'],
  { documents, times }: CorpusSample,
): EstimatedPart | undefined {
  const { locale = 'en' } = chosen?.options ?? {};
  const raw = new RawText();
  for (const document of documents) raw.add(document);
  const { gold } = raw;
  if (gold.offsets.length === 0) return undefined;
  const { certain, templates, sentences } = characterTraining(gold, locale);
  const model = createModel({ templates });
  const { half, all } = encodedSizes(model, sentences, sentences.length >> 1);
  // In scripts without spaces, all characters stay uncertain.
  const isUncertain = 2 * all.tokens > gold.text.length;
  const size = grownSize(half, all, times ** (isUncertain ? 1 : uncertainPower));
  const given = {
    ...{ spec: model.spec, options: tokenizerOptimizer, compact: true },
    ...{ optimizer: optimizers.find(({ name }) => name === 'sgd')!, workers: 1 },
    epochs: epochsFor(size.sentences),
  };
  const part = withFolds('tokenizer', { size, given }, false, 0);
  const characters = gold.text.length * times;
  return (
    part && {
      ...part,
      seconds: part.seconds + 1e-6 * characters * characterTime,
      memory: part.memory + characters * characterBytes,
      model: part.model! * tokenizerShare + certain.length * times * contextBytes,
    }
  );
}

/** Factor of the bytes per feature of tokenizers, which leave out small weights. */
const tokenizerShare = 0.23;

function estimateColumn(
  { train: { options } }: Training,
  { name, model, sentences, half: first, ...column }: ColumnSample,
  times: number,
  tokens: number,
): EstimatedPart | undefined {
  const { optimizer, isOfWords, isPredicted, codecBytes } = column;
  if (optimizer.kind !== 'online' || sentences.length === 0) return undefined;
  const { half, all } = encodedSizes(model, sentences, first);
  // A word that occurs again is no further sentence.
  const grown = isOfWords ? grownBy(half.tokens, all.tokens, times) / all.tokens : times;
  const size = grownSize(half, all, grown);
  const { component, options: own } = optimizer;
  const { epochs = 1, seeds, compact = true } = options;
  const given = {
    ...{ spec: model.spec, optimizer: component as OptimizerComponent<never>, workers: 1 },
    ...{ options: own as Readonly<Record<string, unknown>>, epochs, seeds, compact },
  };
  const part = withFolds(name, { size, given }, isPredicted, tokens);
  const codec = (codecBytes * size.features) / Math.max(1, all.features);
  return (
    part && {
      ...part,
      seconds: part.seconds + 1e-6 * tokens * labelTime,
      model: part.model && part.model * (isOfWords ? wordBytes : 1) + codec,
    }
  );
}

/** Encodes sentences; returns the sizes of the first of them, and of all. */
function encodedSizes(
  model: Model,
  sentences: readonly Sentence[],
  first: number,
): { readonly half: TrainingSize; readonly all: TrainingSize } {
  const encoded: EncodedSentence[] = [];
  let half: TrainingSize | undefined;
  for (const sentence of sentences) {
    encoded.push(model.encode(sentence));
    if (encoded.length === Math.max(1, first)) half = trainingSize(model, encoded);
  }
  const all = trainingSize(model, settleCorpus(model, encoded));
  return { half: half ?? all, all };
}

/**
 * Returns the cost of a training and of the models of parts that predict its column.
 *
 * @param tokens tokens of the corpus
 */
function withFolds(
  what: string,
  { size, given }: EstimatedTags,
  isPredicted: boolean,
  tokens: number,
): EstimatedPart | undefined {
  const whole = estimateTraining(size, given);
  const epochs = Math.min(mostPasses, given.epochs);
  const part = estimateTraining(partOf(size), { ...given, epochs, seeds: 1, workers: 1 });
  if (whole === undefined || part === undefined) return undefined;
  const { seconds, memory, model } = whole;
  const reading = 1e-6 * readTime;
  const ofFolds = isPredicted ? folds * (part.seconds + reading * tokens) : 0;
  return {
    ...{ what, features: size.features, model },
    seconds: seconds + reading * size.tokens + ofFolds,
    memory: memory + tokens * tokenBytes,
  };
}

function partOf(size: TrainingSize): TrainingSize {
  const { sentences, tokens, features, pairs } = size;
  return {
    ...size,
    sentences: sentences * foldShare,
    tokens: tokens * foldShare,
    features: features * foldFeatures,
    pairs: pairs && pairs * foldFeatures,
  };
}
