import type { EncodedSentence } from '../../../../engine/core/minibatch/encoded-sentence.js';
import type { Resources } from '../../../../engine/features/resources/resources.js';
import { rowWidth } from '../../../../engine/kernels/memory/real-table.js';
import type { Model } from '../../../../engine/models/model.js';
import type { ModelSpec } from '../../../../engine/models/model-spec.js';
import type { OptimizerComponent } from '../../../../engine/optimizers/optimizer.js';

/** The approximate cost of a training. */
export interface TrainingEstimate {
  readonly size: TrainingSize;
  /** Seconds on a machine like that of the benchmark; others take half or twice as long. */
  readonly seconds: number;
  /** Peak number of bytes of the whole process. */
  readonly memory: number;
  /** Bytes of the trained numbers, which share one memory of at most 4 GiB. */
  readonly parameters: number;
  /** Bytes of the model file; undefined if it depends on what is learned. */
  readonly model: number | undefined;
}

/** Inputs of an estimate. */
export interface EstimatedTraining {
  readonly spec: Pick<ModelSpec, 'support' | 'compressed' | 'prune' | 'resources'>;
  readonly optimizer: OptimizerComponent<never>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Number of passes with each seed. */
  readonly epochs: number;
  /** Number of seeds. Default 1. */
  readonly seeds?: number | undefined;
  readonly workers: number;
  /** Whether the model file is compact. */
  readonly compact: boolean;
  /** Bytes of the process after reading the corpus. Default: an estimate. */
  readonly read?: number | undefined;
}

/** Maximum number of bytes of parameters. */
export const mostParameters = 2 ** 32;

/** Bytes per weight in the kernel of online optimizers. */
const weightBytes = 4;

/** Bytes of a program without a corpus, and of each further thread. */
const baseBytes = 105e6;
const threadBytes = 60e6;

/**
 * Bytes of the corpus: per active feature and its value; in addition, per token without further columns, and per
 * further column.
 */
const activeBytes = 4;
const valueBytes = 8;
const tokenBytes = 150;
const columnBytes = 70;

/** Bytes per state feature in the index, and while the model is being finished and packed. */
const indexBytes = 60;
const packingBytes = 75;

/** Bytes that every training takes. */
const workingBytes = 20e6;

/** Additional bytes per weight with several seeds: the sum, and the weights of the seed being added. */
const meanBytes = 8 + weightBytes;

/** Bytes of any compact file: templates, options and notes. */
const fileBytes = 14e3;

/** Bytes of a compact file per compressed pair; factor of the bytes per feature if weights are averaged. */
const pairFileBytes = 0.75;
const averagedBytes = 1.28;

/** Bytes per feature-label pair while the corpus is read. */
const pairBytes = 10;

/** Number of matrices of all label pairs in inference and decoding. */
const matrices = 50;

/**
 * Microseconds for learning, per token, per active feature and label, and per label pair if none is pruned.
 */
const tokenTime = 1;
const activeTime = 0.055;
const weightTime = 0.0017;
const transitionTime = 0.0005;

/** Microseconds per active feature and pair of a feature, if weights are stored compressed. */
const pairTime = 0.17;

/** Microseconds per label pair of a step, and for packing a feature. */
const stepTime = 0.001;
const packingTime = 2.5;

/** Microseconds for reading a token, and for extracting one feature. */
const readingTime = 3;
const extractionTime = 0.1;

/**
 * Estimates the cost of a training: bytes of the corpus, the feature index, the trained numbers and the finished model.
 * Calibrated on the benchmark's corpora; undefined for optimizers without measurements.
 *
 *     memory = base + corpus + index + planes * weights + matrices * labels^2 + packing + mean of seeds
 *     time = tokens * reading + features * packing
 *       + seeds * epochs / workers * (tokens * (token + active * weights + labels^2) + sentences * labels^2)
 *
 * where `weights` are those of a feature: all labels, or its pairs if they are compressed. The last term is for the
 * matrix of label pairs, which each step updates; without other features than those of single words it is the largest.
 *
 * @example
 * const size = { sentences: 9, tokens: 90, columns: 1, active: 20, labels: 4, features: 1000, edges: 0, pairs: undefined };
 * const given = { spec: { support: 'all' }, optimizer: sgd().component, options: {}, epochs: 1, workers: 1, compact: true };
 * estimateTraining(size, given).parameters // => 16_064
 */
export function estimateTraining(
  size: TrainingSize,
  { spec, optimizer, options, epochs, seeds = 1, workers, compact, read }: EstimatedTraining,
): TrainingEstimate | undefined {
  const planes = numbersPerWeight(optimizer, options);
  if (planes === undefined) return undefined;
  const { sentences, tokens, columns, active, valued = 0, labels, features, edges, pairs } = size;
  const width = rowWidth(labels);
  const matrix = labels * width;
  const isWhole = spec.support === 'all';
  const stateWeights = pairs ?? features * width;
  const weights = stateWeights + (isWhole ? edges + 1 : 1) * matrix;
  const parameters = planes * weightBytes * weights;
  const masks = isWhole || pairs !== undefined ? 0 : features * width;
  const ofToken = active * activeBytes + valued * valueBytes + tokenBytes + columns * columnBytes;
  const corpus = tokens * ofToken;
  const held =
    read ?? baseBytes + corpus + features * indexBytes + pairBytes * (pairs ?? 0) + masks;
  const work = workingBytes + matrices * weightBytes * width ** 2 + features * packingBytes;
  const mean = seeds > 1 ? meanBytes * weights : 0;
  const transitions = spec.prune === undefined ? transitionTime * width ** 2 : 0;
  const isCompressed = spec.compressed === true && pairs !== undefined && features > 0;
  const rowTime = isCompressed ? (pairTime * pairs) / features : weightTime * width;
  const learning = tokenTime + active * (activeTime + rowTime) + transitions;
  const pass = tokens * learning + sentences * stepTime * width ** 2;
  const reading = tokens * (readingTime + active * extractionTime) + features * packingTime;
  const model = modelBytes(
    { features, stateWeights, matrix, pairs: isCompressed ? pairs : 0 },
    { optimizer, options, compact },
  );
  return {
    size,
    seconds: 1e-6 * (reading + ((seeds * epochs) / workers) * pass),
    memory: held + parameters + mean + work + (workers - 1) * threadBytes,
    parameters,
    model: model && model + listBytes(spec.resources),
  };
}

/** Returns the bytes of the lists that become part of a model. */
function listBytes({ gazetteers = {}, clusters = {}, vectors = {} }: Resources = {}): number {
  const texts = [gazetteers, clusters, vectors].flatMap(lists =>
    Object.values(lists).map(({ text }) => text.length),
  );
  const numbers = Object.values(vectors).map(each => each.numbers.length + 4 * each.steps.length);
  return [...texts, ...numbers].reduce((sum, bytes) => sum + bytes, 0);
}

function modelBytes(
  {
    features,
    stateWeights,
    matrix,
    pairs,
  }: Readonly<Record<'features' | 'stateWeights' | 'matrix' | 'pairs', number>>,
  { optimizer, options, compact }: Pick<EstimatedTraining, 'optimizer' | 'options' | 'compact'>,
): number | undefined {
  // Without an L2 penalty, an unknown number of weights stays at zero.
  const { l2 = 0 } = optimizer.penalty?.(options as never) ?? {};
  const { average } = options;
  const compactSize = optimizer.sizes?.compact;
  if (compactSize === undefined || l2 === 0) return undefined;
  if (!compact) return features * 8 + (stateWeights + matrix) * weightBytes;
  const { bytes, penalty, power } = compactSize;
  // Averages are rarely zero, whatever the penalty.
  const isAveraged = average !== undefined && average !== false;
  const each = bytes * (isAveraged ? averagedBytes : (penalty / l2) ** power);
  return fileBytes + features * each + pairs * pairFileBytes;
}

/** Returns the number of values that training needs per weight; undefined if the optimizer's size is unknown. */
function numbersPerWeight(
  { options, sizes }: OptimizerComponent<never>,
  chosen: Options,
): number | undefined {
  if (sizes === undefined) return undefined;
  // The schema fills in defaults.
  const all = options.parse(chosen);
  const { average } = all as Options;
  return 1 + sizes.perWeight(all) + (average === undefined || average === false ? 0 : 1);
}

type Options = Readonly<Record<string, unknown>>;

/** The quantities that determine the memory of a training. */
export interface TrainingSize {
  readonly sentences: number;
  readonly tokens: number;
  /** Number of columns in addition to the tokens. */
  readonly columns: number;
  /** Mean number of active features per token. */
  readonly active: number;
  /** Mean number of active features per token that also have a value. Default 0. */
  readonly valued?: number;
  readonly labels: number;
  /** Number of state features. */
  readonly features: number;
  /** Number of transition features in addition to the plain ones. */
  readonly edges: number;
  /** Number of feature-label pairs with a weight, if weights are stored only for pairs. */
  readonly pairs: number | undefined;
}

/** Number of sentences examined for the features of a token. */
const looked = 2000;

/**
 * Returns the size of a corpus that has been read, for a model that knows all its features. Examines 2,000 sentences.
 */
export function trainingSize(model: Model, corpus: readonly EncodedSentence[]): TrainingSize {
  const { labels, stateIndex, edgeIndex, parameters } = model;
  let tokens = 0;
  for (const { length } of corpus) tokens += length;
  const step = Math.max(1, Math.floor(corpus.length / looked));
  let some = 0;
  let rows = 0;
  let values = 0;
  for (let i = 0; i < corpus.length; i += step) {
    const { length, stateRows, stateValues } = corpus[i]!;
    some += length;
    rows += stateRows.length;
    values += stateValues?.length ?? 0;
  }
  return {
    sentences: corpus.length,
    tokens,
    columns: Object.keys(corpus[0]!.sentence.columns).length,
    active: rows / some,
    ...(values === 0 ? {} : { valued: values / some }),
    labels: labels.size,
    features: stateIndex.size,
    edges: edgeIndex.size,
    pairs: parameters.statePairs?.known,
  };
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

/**
 * Extrapolates the size of a training to a larger part of a corpus: sentences and tokens by its size, labels, features
 * and pairs by the power by which they grew in the sample.
 *
 * @param half size of about half of a sample
 * @param all size of the whole sample
 * @param times size of the larger part, as a multiple of the sample
 */
export function grownSize(half: TrainingSize, all: TrainingSize, times: number): TrainingSize {
  const doublings = Math.log2(all.tokens / half.tokens);
  // Returns the count at exactly half of the sample, interpolated by the power.
  const foreseen = (before: number, after: number) =>
    grownBy(
      before === 0 || doublings === 0 ? 0 : after / (after / before) ** (1 / doublings),
      after,
      times,
    );
  return {
    ...all,
    sentences: Math.round(all.sentences * Math.max(1, times)),
    tokens: Math.round(all.tokens * Math.max(1, times)),
    labels: foreseen(half.labels, all.labels),
    features: foreseen(half.features, all.features),
    edges: all.edges === 0 ? 0 : foreseen(half.edges, all.edges),
    pairs: all.pairs === undefined ? undefined : foreseen(half.pairs!, all.pairs),
  };
}
