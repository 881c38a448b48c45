import * as z from 'zod';
import { suggestion } from '../../../engine/core/wording/nearest.js';
import { presets } from '../../../engine/features/presets/presets.js';
import { defaultVectorScale } from '../../../engine/features/resources/quantised-vectors.js';
import { resourceName } from '../../../engine/features/resources/resources.js';
import { defaultGrowthLimit } from '../../../engine/models/growth-limit.js';
import type { IndexSpec } from '../../../engine/models/model-spec.js';

/** Default number of words of a list of vectors. */
const defaultVectorWords = 60_000;

const listShape = {
  file: z.string().min(1).describe('the file, which may be gzip'),
  fold: z.boolean().default(false).describe('ignore case'),
};

const list = z.union([z.string().min(1), z.strictObject(listShape)]);

const clusterList = z.union([
  z.string().min(1),
  z.strictObject({
    ...listShape,
    bits: z
      .optional(z.union([z.literal('none'), z.array(z.int().min(1)).min(1)]))
      .describe(
        'prefix lengths of paths that automatic templates use besides whole paths, by default [4, 6, 10]; none for clusters of word vectors, whose paths are not hierarchical',
      ),
  }),
]);

export const vectorChoice = z.strictObject({
  file: z
    .string()
    .min(1)
    .describe(
      'the file, which may be gzip: word2vec (text or binary), GloVe, fastText (.vec), or the name of an installed npm package wink-embeddings-*',
    ),
  fold: listShape.fold,
  words: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(defaultVectorWords)
    .describe(
      'number of words to read from the start of the file, which most files sort by frequency',
    ),
  scale: z
    .number()
    .positive()
    .default(defaultVectorScale)
    .describe(
      'norm to scale all vectors to: the larger, the weaker the regularization of their weights',
    ),
});

const vectorList = z.union([z.string().min(1), vectorChoice]);

const listsOf = <List extends z.ZodType>(each: List) =>
  z.record(z.string().regex(resourceName), each).optional();

/** The options of `featurize` that name lists. */
const resourceOptions = {
  gazetteers: listsOf(list).describe(
    'lists of names for %gazetteer[0,0,NAME], by name: one entry per line, divided into tokens as texts are; they become part of the model, also in a resumed run',
  ),
  clusters: listsOf(clusterList).describe(
    'word clusters in Brown format for %cluster[0,0,NAME,4], by name; they become part of the model too',
  ),
  vectors: listsOf(vectorList).describe(
    'word vectors for %vector[0,0,NAME], by name; they become part of the model too',
  ),
};

/** The chosen values of `resourceOptions`. */
export interface ResourceChoice {
  readonly gazetteers?: Readonly<Record<string, z.output<typeof list>>> | undefined;
  readonly clusters?: Readonly<Record<string, z.output<typeof clusterList>>> | undefined;
  readonly vectors?: Readonly<Record<string, VectorChoice>> | undefined;
}

/** A file of word vectors, or options for reading it. */
export type VectorChoice = z.output<typeof vectorList>;

const presetNames = presets.map(({ name }) => name);

function unknownPreset(input: unknown): string {
  return `there is no preset "${input}": ${suggestion(String(input), presetNames)}`;
}

/** Ready-made templates, by name. */
export const presetOption = z
  .optional(z.enum(presetNames, { error: ({ input }) => unknownPreset(input) }))
  .describe('ready-made templates for a task; templates adds lines');

/** How features get their rows, in pipeline files and in code. */
export const featureShape = {
  conjunctions: z
    .boolean()
    .default(false)
    .describe(
      'also conjoin each pair of token templates, as candidates for the optimizer induction',
    ),
  cutoff: z.int().min(1).default(1).describe('minimum number of occurrences of a feature'),
  mutualInformation: z
    .optional(
      z
        .strictObject({
          keep: z.int().min(1).optional().describe('maximum number of features to keep'),
          least: z
            .optional(z.number().min(0))
            .describe('minimum information of a feature to keep, in nats'),
        })
        .refine(({ keep, least }) => keep !== undefined || least !== undefined, {
          message: 'keep or least is needed',
        }),
    )
    .describe(
      'before training, keep only the features with the highest mutual information with the label of their token, counted on the corpus',
    ),
  support: z
    .enum(['all', 'observed'])
    .default('all')
    .describe('weights for all labels of a feature, or only for pairs seen in training'),
  encode: z
    .optional(z.enum(['bioes']))
    .describe(
      'train and decode in this scheme, regardless of the scheme of the records (IO, IOB1, BIO): span ends and single-token spans get their own labels. Results are BIO',
    ),
  compressed: z
    .boolean()
    .default(false)
    .describe(
      'store only weights of observed pairs, which takes a fraction of the memory with many labels; needs support: observed, and the optimizer sgd or perceptron in one thread. The weights are the same',
    ),
  hashed: z
    .optional(
      z.strictObject({
        rows: z
          .int()
          .min(1)
          .default(2 ** 20)
          .describe('rows that all token features share'),
        edgeRows: z
          .int()
          .min(1)
          .default(2 ** 10)
          .describe('rows that all transition features share'),
      }),
    )
    .describe(
      'feature hashing to a fixed number of rows, for streams with an unbounded vocabulary',
    ),
  unlabelled: z
    .optional(
      z.strictObject({
        weight: z
          .number()
          .positive()
          .max(1e6)
          .default(1)
          .describe('weight of an unlabelled record'),
        labels: z
          .optional(z.array(z.string().min(1)).min(1))
          .describe('labels of the model, if no record names them'),
      }),
    )
    .describe(
      'also learn from unlabelled records, with the optimizers em and stepwise-em; without it they are skipped',
    ),
};

/** Whether a tag dictionary is learned. */
export const dictionaryOption = z
  .optional(
    z.strictObject({
      minCount: z.int().min(1).default(20).describe('minimum count of a word in the dictionary'),
    }),
  )
  .describe('learn a tag dictionary: frequent words only get tags seen in training');

/** A tagging model: its file, or an object with the file and the column of its tags. */
const namedModel = z.union(
  [
    z.string().min(1),
    z.strictObject({
      file: z.string().min(1).describe('the model file'),
      column: z
        .optional(z.string().min(1))
        .describe(
          'the column of its tags; default: that of the data it was trained on, as upos, else the name of its file',
        ),
    }),
  ],
  'expected a path, or an object with file and column',
);

/** The stage `featurize`. */
export const featurizeOptions = z
  .strictObject({
    templates: z
      .optional(z.union([z.string().min(1), z.array(z.string()).min(1)]))
      .describe('a template file, or the template lines themselves'),
    preset: presetOption,
    model: z
      .optional(z.union([namedModel, z.array(namedModel).min(1)]))
      .describe(
        'a model file, or nats://NAME@ALIAS of a registry, instead of templates, for tagging; with several files, the first one tokenizes and tags, and the others tag after it, each into its own column',
      ),
    from: z
      .optional(z.string().min(1))
      .describe(
        'a first model, whose tags %predicted reads: a pipeline file, trained six times on the source of this one (five times without a fifth of it, once on all of it), or a model file that was trained on other data. It becomes part of the model',
      ),
    ...resourceOptions,
    columns: z
      .optional(z.array(z.string().min(1)).min(1))
      .describe('names of the columns by number; default: those of the source'),
    ...featureShape,
    prune: z
      .optional(
        z.strictObject({
          every: z
            .int()
            .min(1)
            .default(10_000)
            .describe(
              'sentences between two prunings, each of which removes features with zero weight that were not seen since the last one',
            ),
        }),
      )
      .describe(
        'keeps exact rows on streams with an unbounded vocabulary: removes features whose weights sgd-l1 has driven to zero',
      ),
    maxFeatures: z
      .optional(
        z
          .int()
          .min(16)
          .max(2 ** 30),
      )
      .describe(
        `on a stream: maximum number of token features, and as many transition features, including those below the cutoff; at the limit, a quarter is evicted, smallest weights first, discounted the longer they are unseen. Default: ${defaultGrowthLimit.features}`,
      ),
    maxBytes: z
      .optional(
        z
          .int()
          .min(2 ** 20)
          .max(2 ** 32),
      )
      .describe(
        `on a stream: maximum bytes for features, including the index and the state of the optimizer. Default: ${defaultGrowthLimit.bytes}`,
      ),
    dictionary: dictionaryOption,
  })
  .refine(
    ({ templates, preset, model }) =>
      (templates === undefined && preset === undefined) !== (model === undefined),
    { message: 'expected model, or templates, a preset or both' },
  )
  .refine(
    ({ model, gazetteers, clusters, vectors }) =>
      model === undefined || (gazetteers ?? clusters ?? vectors) === undefined,
    {
      message:
        'a model already contains its lists: use gazetteers, clusters and vectors with templates',
    },
  )
  .refine(({ model, from }) => model === undefined || from === undefined, {
    message: 'a model already contains its first model: use from with templates',
  });

export type FeaturizeOptions = z.output<typeof featurizeOptions>;

/** A tagging model's file, and the column of its tags, if named. */
export interface ModelFileChoice {
  readonly file: string;
  readonly column?: string | undefined;
}

/**
 * Returns the models that `featurize` names, in order; empty if it has templates.
 *
 * @example
 * modelFilesOf({ model: ['pos.model', { file: 'b.model', column: 'ner' }] }).map(({ file }) => file) // => ['pos.model', 'b.model']
 */
export function modelFilesOf({
  model,
}: Pick<FeaturizeOptions, 'model'>): readonly ModelFileChoice[] {
  return (model === undefined ? [] : [model].flat()).map(each =>
    typeof each === 'string' ? { file: each } : each,
  );
}

/** The chosen values of `featureShape`, and of pruning on a stream. */
export interface IndexChoice {
  readonly cutoff: number;
  readonly mutualInformation?:
    | { readonly keep?: number | undefined; readonly least?: number | undefined }
    | undefined;
  readonly hashed?: { readonly rows: number; readonly edgeRows: number } | undefined;
  readonly prune?: { readonly every: number } | undefined;
}

/**
 * Returns how a model with the chosen options assigns rows to features.
 *
 * @example
 * indexSpecOf({ cutoff: 2 }) // => { mode: 'exact', cutoff: 2 }
 */
export function indexSpecOf({ cutoff, mutualInformation, hashed, prune }: IndexChoice): IndexSpec {
  if (hashed !== undefined) return { mode: 'hashed', ...hashed };
  return {
    mode: 'exact',
    cutoff,
    ...(mutualInformation === undefined ? {} : { information: mutualInformation }),
    ...(prune === undefined ? {} : { pruneEvery: prune.every }),
  };
}
