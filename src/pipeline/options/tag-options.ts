import * as z from 'zod';
import { mostAlternatives } from '../../models/decoding/decode-options.js';
import { rulesOption } from './rule-options.js';

const names = z.array(z.string().min(1)).min(1);
const bound = z.int().min(0).max(1000).optional();
const sequenceRule = z.union([
  z
    .strictObject({ of: names, atLeast: bound, atMost: bound })
    .refine(({ atLeast = 0, atMost }) => atLeast > 0 || atMost !== undefined, {
      message: 'atLeast, atMost or both are needed',
    }),
  z.strictObject({ order: z.array(names).min(2) }),
]);

/** The stage `tag`: how sentences are decoded, and what is reported of each. */
export const tagOptions = z.strictObject({
  decoding: z
    .enum(['viterbi', 'posterior', 'minimum-risk', 'loopy'])
    .default('viterbi')
    .describe(
      'viterbi: the best tag sequence; posterior: the best tag of each token; minimum-risk: minimum Bayes risk decoding, the allowed sequence with the fewest expected errors; loopy: posterior from approximate sums, for models of two layers',
    ),
  marginals: z
    .union([z.boolean(), z.literal('all')])
    .default(false)
    .describe('add the probability of each tag; all: those of all tags at each token'),
  scores: z.boolean().default(false).describe('add the score of each sentence'),
  modelVersion: z
    .boolean()
    .default(false)
    .describe('add the id of the model to each record, as _model'),
  probability: z.boolean().default(false).describe('add the probability of each tag sequence'),
  nbest: z
    .int()
    .min(1)
    .max(mostAlternatives)
    .optional()
    .describe('add the N best tag sequences, with score and probability'),
  spanProbabilities: z.boolean().default(false).describe('add the probability of each span'),
  transitions: z
    .enum(['scheme', 'any'])
    .default('scheme')
    .describe('scheme: only sequences that the tag scheme allows; any: all sequences'),
  dictionary: z
    .union([z.string().min(1), z.literal(false)])
    .optional()
    .describe(
      "a dictionary file of words and their allowed tags, instead of the model's own; false: none",
    ),
  rules: rulesOption,
  sequence: z
    .array(sequenceRule)
    .min(1)
    .optional()
    .describe(
      'rules for the tags of a whole sentence, as { of: [B-PER], atMost: 1 } or { order: [[B-PER], [B-LOC]] }: the best sequence that meets them all',
    ),
});

export type TagStageOptions = z.output<typeof tagOptions>;
