import type { ObservableInput } from 'rxjs';
import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { withoutUndefined } from '../../../engine/core/schema/is-record.js';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import type { ScorerName } from '../../../engine/core/scorer.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TrainingStep } from '../../../engine/core/training/training-step.js';
import type { Resources } from '../../../engine/features/resources/resources.js';
import { scorers } from '../../../engine/inference/scorers/scorers.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import type { Loss } from '../../../engine/losses/loss.js';
import type { Model, ModelTokenizer } from '../../../engine/models/model.js';
import type { HiddenStates } from '../../../engine/models/model-spec.js';
import { requireTokenizer } from '../../../engine/models/text/learned-tokenizer.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import { Checker } from '../file/check.js';
import type { TrainerGroup } from '../learners/learner-of.js';
import { type ColumnsOptions, columnsOptionOf } from '../options/column-options.js';
import { dictionaryOption, featureShape, presetOption } from '../options/feature-options.js';
import { covarianceOption, defaultNames, hiddenOption } from '../options/model-option.js';
import { oneOf } from '../options/one-of.js';
import { type CodeRequest, refuseMisplaced, structureShape } from '../options/structure-options.js';
import { divisionOptions, otherTokenizer, withoutIdle } from '../options/tokenize-options.js';
import { trainOptions } from '../options/train-options.js';
import type { Task } from './recipe.js';
import type { OptimizerChoice, TrainerChoice } from './trainer-choice.js';

const featureOptions = z
  .strictObject({
    preset: presetOption,
    templates: z
      .optional(z.union([z.string().min(1), z.array(z.string()).min(1)]))
      .describe('text of templates, or their lines'),
    columns: z.array(z.string().min(1)).min(1).default(['form']),
    ...featureShape,
    dictionary: dictionaryOption,
  })
  .refine(({ preset, templates }) => preset !== undefined || templates !== undefined, {
    message: 'a preset or templates are needed: { preset: "pos" }, or { templates: "U:%x[0,0]" }',
  });

const { seed, seeds, shuffle, dropout, mode, threshold, temperature, compact, margins } =
  trainOptions.shape;

const optimizerOption = oneOf([...optimizers, ...trainers]).optional();

/** In the order of a pipeline file, so that the first of several wrong options is the same. */
const requestSchema = z
  .strictObject({
    tokenize: withoutIdle(divisionOptions).optional(),
    features: featureOptions,
    batch: z.int().min(1).default(1),
    optimizer: optimizerOption,
    trainer: optimizerOption,
    patience: z.int().min(1).optional(),
    epochs: z.int().min(1).optional(),
    ...{ seed, seeds, shuffle, dropout, mode, threshold, temperature, compact, margins },
    names: z.union([z.boolean(), z.int().min(1)]).default(defaultNames),
    scorer: z.enum(scorers.map(({ name }) => name)).default('linear'),
    hidden: hiddenOption.optional(),
    covariance: covarianceOption.optional(),
    columns: columnsOptionOf([...optimizers, ...trainers]).optional(),
    ...structureShape,
  })
  .superRefine(refuseMisplaced);

/** The features of `train`: a preset, templates, or both, and their index options. */
export interface FeatureRequest {
  /** Predefined templates: `pos`, `chunk` or `ner`. */
  readonly preset?: string;
  /** Text of templates, or their lines, added to those of the preset. */
  readonly templates?: string | readonly string[];
  /** Names of the columns by number, for templates such as `%x[0,1]`. Default: only the token, `['form']`. */
  readonly columns?: readonly string[];
  /**
   * Whether to add a template for each pair of token templates, as candidates for the trainer `induction`. Default
   * false.
   */
  readonly conjunctions?: boolean;
  /** Minimum number of occurrences of a feature. Default 1. */
  readonly cutoff?: number;
  /** Trains only with the features that are most informative about their token's label. */
  readonly mutualInformation?: { readonly keep?: number; readonly least?: number };
  /** Whether each feature has weights for all labels, or only for labels seen with it in training. Default `all`. */
  readonly support?: 'all' | 'observed';
  /**
   * Whether to store weights of observed pairs only, for many labels. Requires `support: 'observed'`, and sgd or
   * perceptron. Default false.
   */
  readonly compressed?: boolean;
  /** A fixed number of rows for all features. */
  readonly hashed?: { readonly rows?: number; readonly edgeRows?: number };
  /**
   * Learns from records without labels too, each with `weight` (default 1), with the trainers `em` and `stepwise-em`;
   * `labels` are the model's labels if no record names any.
   */
  readonly unlabelled?: { readonly weight?: number; readonly labels?: readonly string[] };
  /**
   * Learns a tag dictionary: words that occur `minCount` times (default 20) get only tags that they had in training.
   */
  readonly dictionary?: { readonly minCount?: number };
  /** Lists in which templates look up words: see `gazetteer`, `wordClusters` and `quantisedVectors`. */
  readonly resources?: Resources;
}

/** A further column that a model learns. */
export type ColumnRequest = Partial<ColumnsOptions[string]>;

/** A request to `train`. Options, names and defaults are those of a pipeline file. */
export interface TrainRequest {
  /**
   * Labelled records with `tokens` (or `text` and `tokens`) and `tags`: an array, an iterable, an asynchronous
   * iterable, or an observable such as that of `documentSource`. They are kept in memory; records without tags are left
   * out unless `features.unlabelled` is given.
   */
  readonly corpus: ObservableInput<Document>;
  readonly features?: FeatureRequest;
  /**
   * The purpose of the tagger, instead of a preset: features, loss, trainer and passes are then chosen for the size of
   * the corpus, as `tagstream init` chooses them, except for those given. With `features.templates`, lines are added.
   */
  readonly task?: Task;
  /**
   * The scorer, which computes potentials from the weights: `linear` (a conditional random field, the default), `memm`,
   * `hmm` or `trees`. It is kept in the model.
   */
  readonly scorer?: ScorerName;
  /**
   * Hidden states of each label (hidden CRF): their number, or an object with the range of initial weights around 0
   * (`spread`, default 0.1) and their seed. With the scorer `hmm`, the number of mixture components in each label's
   * density of numbers. Default 1: none. It is kept in the model.
   */
  readonly hidden?: number | (Partial<HiddenStates> & Pick<HiddenStates, 'states'>);
  /** Densities of numbers, with the scorer `hmm`: `diagonal` (a variance for each column, the default) or `full`. */
  readonly covariance?: 'diagonal' | 'full';
  /**
   * The separator between the layers of each tag, such as `|` in `DT|B-NP` (factorial CRF); two or more layers. It is
   * kept in the model.
   */
  readonly layers?: string;
  /**
   * The separator between the parts of each tag, such as `|` in `NOUN|Case=Nom`; each part has its own weights. It is
   * kept in the model.
   */
  readonly parts?: string;
  /**
   * Tags as words of an error-correcting code, with a binary chain for each bit: `{ kind: 'one-against-rest' }`, `{
   * kind: 'exhaustive' }`, `{ kind: 'random', bits: 15, distance: 3 }`, `{ kind: 'chosen', bits: 15, confusions }` or a
   * custom code `{ kind: 'words', words: { X: '0', Y: '1' } }`, with a `decoder` of `product` (default), `marginals` or
   * `hamming`. It is kept in the model.
   */
  readonly codes?: CodeRequest;
  /**
   * What is scored in addition to single tokens: `chain`: label pairs; `segments`: also whole spans; `graph`: also
   * linked tokens. Default `chain`.
   */
  readonly structure?: 'chain' | 'segments' | 'graph';
  /** Maximum length of spans with features. Default 4. */
  readonly maxLength?: number;
  /**
   * Features of spans, such as `length`, `lower`, `text:pos`. `B:length` has a weight for each pair of the label before
   * a span and its type. Default: those of a pipeline file.
   */
  readonly segmentFeatures?: readonly string[];
  /** Links of a graph between equal words, in addition to those that records name. Default: none. */
  readonly links?: {
    readonly sameWord: 'capitalised' | 'all';
    readonly column?: string;
    readonly perToken?: number;
  };
  /** Features of graph links in addition to their types, such as `shape`, `distance`. Default: none. */
  readonly linkFeatures?: readonly string[];
  /** Potentials of graph links: weights for all label pairs (`free`), or only for equal labels. Default `free`. */
  readonly potentials?: 'free' | 'associative';
  /** Maximum width of a graph's junction tree for exact inference. Default 3. */
  readonly maxWidth?: number;
  /** Order of the messages in wider graphs. Default `residual`. */
  readonly schedule?: 'residual' | 'flooding';
  /**
   * The optimizer, online or batch, with its options: `sgd({ eta0: 0.1 })`, or as data `{ sgd: { eta0: 0.1 } }`. Default
   * `{ sgd: { l2: 0.05, average: true } }`, with the scorer hmm `{ counts: {} }`, with trees `{ trees: {} }`.
   */
  readonly optimizer?: OptimizerChoice;
  /** Earlier name of `optimizer`. */
  readonly trainer?: TrainerChoice;
  /**
   * A loss, such as `softmaxMargin({ cost: 3 })`; as data its name, or name and options, `{ 'softmax-margin': { cost: 3
   * } }`. Default: the first one that works with the scorer and the optimizer, such as `log`.
   */
  readonly loss?: string | Loss | Readonly<Record<string, object>>;
  /**
   * Number of passes through the corpus, or maximum number of iterations of a batch optimizer. Default 20, 500 for a batch
   * optimizer, 1 for `counts`.
   */
  readonly epochs?: number;
  /** Number of sentences in a minibatch of an online optimizer. Default 1. */
  readonly batch?: number;
  /** Seed of the order of the sentences. Default 1. */
  readonly seed?: number;
  /**
   * Number of training runs with the seeds `seed`, `seed` + 1 and so on, whose mean is the model; only for online
   * optimizers. Default 1.
   */
  readonly seeds?: number;
  /** Whether each pass has a new order. Default true. */
  readonly shuffle?: boolean;
  /** Probability with which each visit to a sentence drops each feature. Default 0. */
  readonly dropout?: number;
  /** Sets small weights to zero after training. */
  readonly threshold?: { readonly below?: number; readonly keep?: number };
  /** Divisor of the weights after training, which makes probabilities less extreme. Default 1. */
  readonly temperature?: number;
  /**
   * Whether to write a small model file, with rounded weights, of which equal ones are stored once. Default: true with
   * a preset.
   */
  readonly compact?: boolean;
  /**
   * Whether to keep the mistakes and the smallest margin of each pass in the model file, for `inspect`. Default false.
   */
  readonly margins?: boolean;
  /** How tokens and sentences are found in records that only have a text, in training and by the finished model. */
  readonly tokenize?: {
    readonly tokenizer?: 'regex' | 'treebank' | 'unicode' | 'whitespace' | 'characters' | 'learned';
    readonly pattern?: string;
    /** A model with a learned tokenizer, which the new model takes over, instead of a tokenizer's name. */
    readonly model?: Model;
    readonly sentences?: boolean;
    readonly locale?: string;
    readonly abbreviations?: readonly string[];
  };
  /**
   * Further columns that the model learns after the tags, by name and in this order: `{ feats: {}, lemma: { as:
   * 'script' } }`. Records have them in `columns`; the finished tagger returns them as `results`.
   */
  readonly columns?: Readonly<Record<string, ColumnRequest>>;
  /** Labelled records for scoring the finished model. */
  readonly heldOut?: ObservableInput<Document>;
  /**
   * Number of passes without a better score on the held-out records after which training stops; scores them after each
   * pass, and keeps the best weights.
   */
  readonly patience?: number;
  /** Number of feature names to keep for `inspect`: those of the strongest features of each label. Default 20. */
  readonly names?: boolean | number;
  /** Kernel of the model. Default `kernels.simd`; `kernels.simd64` for batch optimizers and the scorer hmm. */
  readonly kernel?: Kernel;
  /** Threads that train together: `new ThreadGroup(2)`, which the caller opens before and closes afterwards. */
  readonly group?: TrainerGroup;
  /** How the threads train together. Default `deterministic`: the same output as with one thread. */
  readonly mode?: 'deterministic' | 'hogwild';
  /** Ends training; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called after each update, or each iteration of a batch optimizer. */
  readonly onStep?: (step: TrainingStep) => void;
}

/** The options that are plain data, checked, with their defaults. */
export interface CheckedRequest extends z.output<typeof requestSchema> {
  /** The tokenizer of another model, if the request names one. */
  readonly divider?: ModelTokenizer;
}

/** The parts of a request that are not plain data. */
const plainParts = [
  ...['corpus', 'task', 'loss', 'heldOut'],
  ...['kernel', 'group', 'signal', 'onStep'],
];

/** The optimizer that `init` writes for a small corpus. */
const usualOptimizer = { sgd: { l2: 0.05, average: true } };

/** @throws TagstreamError `config`, naming the wrong option and, if it is unknown, the nearest known option */
export function checkedRequest(request: TrainRequest): CheckedRequest {
  requireParts(request);
  requireKnown('train', request, [...Object.keys(requestSchema.shape), ...plainParts]);
  const {
    corpus: _,
    task,
    loss,
    heldOut,
    kernel,
    group,
    signal,
    onStep,
    features,
    tokenize,
    ...options
  } = request;
  const { resources, ...described } = features ?? {};
  const value = {
    ...options,
    tokenize,
    ...(features === undefined ? {} : { features: described }),
  };
  const checker = new Checker({ value, place: () => ({}) });
  const whole = withoutUndefined(value);
  if (whole.trainer === undefined) {
    whole.optimizer ??=
      scorers.find(({ name }) => name === whole.scorer)?.trainer ?? usualOptimizer;
  }
  const divider = dividerOf(tokenize);
  if (divider !== undefined)
    whole.tokenize = { ...tokenize, model: undefined, tokenizer: 'learned' };
  const checked = checker.parse(requestSchema, whole);
  return divider === undefined ? checked : { ...checked, divider };
}

/** Returns the tokenizer of the model that a request names, if any. */
function dividerOf({
  model,
  tokenizer = 'learned',
  pattern,
}: NonNullable<TrainRequest['tokenize']> = {}): ModelTokenizer | undefined {
  if (model === undefined) return undefined;
  if (tokenizer !== 'learned' || pattern !== undefined) {
    throw new TagstreamError('config', `tokenize.model: ${otherTokenizer}`);
  }
  requireArgument('tokenize.model', model, kinds.model);
  return requireTokenizer(model.tokenizer, 'tokenize.model: the model');
}

/** Checks for parts without a default; callers may have no types. */
function requireParts(request: TrainRequest | undefined): void {
  if (request?.corpus === undefined || request.corpus === null) {
    throw new TagstreamError('config', 'corpus: missing', {
      fix: 'give labelled records: corpus: [{ tokens: [...], tags: [...] }]',
    });
  }
  if (typeof request.corpus === 'string') {
    throw new TagstreamError('config', `corpus is the string ${JSON.stringify(request.corpus)}`, {
      fix: 'give records; documentSource reads them from a file',
    });
  }
  if (request.features !== undefined) return;
  throw new TagstreamError('config', 'features: missing', {
    fix: "give the task, task: 'ner', 'chunk', 'pos' or 'letters', or the features, features: { preset: 'ner' } or { templates: [...] }",
  });
}
