import * as z from 'zod';
import { suggestion } from '../../core/schema/suggestion.js';
import { presets } from '../../features/presets/presets.js';
import type { IndexSpec } from '../../models/model-spec.js';

const presetNames = presets.map(({ name }) => name);

function unknownPreset(input: unknown): string {
  return `there is no preset "${input}": ${suggestion(String(input), presetNames)}`;
}

/** Ready-made templates, by name. */
export const presetOption = z
  .enum(presetNames, { error: ({ input }) => unknownPreset(input) })
  .optional()
  .describe('ready-made templates for a task; templates adds lines to them');

/** How features get their rows, in a pipeline file and from code. */
export const featureShape = {
  conjunctions: z
    .boolean()
    .default(false)
    .describe(
      'also a template for each two templates of tokens, whose features are active where both are: candidates for the optimizer induction',
    ),
  cutoff: z.int().min(1).default(1).describe('minimum number of occurrences of a feature'),
  mutualInformation: z
    .strictObject({
      keep: z.int().min(1).optional().describe('maximum number of features to keep'),
      least: z
        .number()
        .min(0)
        .optional()
        .describe('minimum information of a feature to keep, in nats'),
    })
    .refine(({ keep, least }) => keep !== undefined || least !== undefined, {
      message: 'keep or least is needed',
    })
    .optional()
    .describe(
      'before training, keep only the features with the most mutual information with the label of their token, by counts of the corpus',
    ),
  support: z
    .enum(['all', 'observed'])
    .default('all')
    .describe('weights for all labels of a feature, or only for pairs seen in training'),
  encode: z
    .enum(['bioes'])
    .optional()
    .describe(
      'train and decode in this scheme, whatever that of the records is (IO, IOB1, BIO): ends and spans of one token have labels of their own. Results are BIO',
    ),
  compressed: z
    .boolean()
    .default(false)
    .describe(
      'store weights of observed pairs alone, which takes a fraction of the memory where labels are many; needs support: observed, and the optimizer sgd or perceptron in one thread. The weights are the same',
    ),
  hashed: z
    .strictObject({
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
    })
    .optional()
    .describe(
      'feature hashing to a fixed number of rows, for streams with an unbounded vocabulary',
    ),
  unlabelled: z
    .strictObject({
      weight: z
        .number()
        .positive()
        .max(1e6)
        .default(1)
        .describe('how often a record without labels counts'),
      labels: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('labels of the model, where no record names them'),
    })
    .optional()
    .describe(
      'learn from records without labels too, with the optimizers em and stepwise-em; without it they are left out',
    ),
};

/** Whether a tag dictionary is learned. */
export const dictionaryOption = z
  .strictObject({
    minCount: z.int().min(1).default(20).describe('minimum count of a word in the dictionary'),
  })
  .optional()
  .describe('learn a tag dictionary: frequent words get only tags that they had in training');

/** What is chosen of `featureShape`, and of pruning on a stream. */
export interface IndexChoice {
  readonly cutoff: number;
  readonly mutualInformation?:
    | { readonly keep?: number | undefined; readonly least?: number | undefined }
    | undefined;
  readonly hashed?: { readonly rows: number; readonly edgeRows: number } | undefined;
  readonly prune?: { readonly every: number } | undefined;
}

/**
 * How a model of these options gives features their rows.
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
