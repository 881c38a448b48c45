import * as z from 'zod';
import { decodeForms } from '../../models/decoding/decode-options.js';
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

/** One of the values of an option, the first of them where nothing is said. */
function choice<const Value extends string>({ among, describe }: Form<Value>) {
  return z
    .enum(among)
    .default(among[0]! as never)
    .describe(describe);
}

interface Form<Value> {
  readonly among: readonly Value[];
  readonly describe: string;
}

const flag = (describe: string) => z.boolean().default(false).describe(describe);

const { nbest, marginals, dictionary } = decodeForms;

/** The stage `tag`: how sentences are decoded, and what is reported of each. */
export const tagOptions = z.strictObject({
  decoding: choice(decodeForms.decoding),
  marginals: z
    .union([z.boolean(), z.literal(marginals.among[2])])
    .default(false)
    .describe(marginals.describe),
  scores: flag('add the score of each sentence'),
  modelVersion: flag('add the id of the model to each record, as _model'),
  probability: flag(decodeForms.probability.describe),
  nbest: z.int().min(nbest.least).max(nbest.most).optional().describe(nbest.describe),
  spanProbabilities: flag(decodeForms.spanProbabilities.describe),
  transitions: choice(decodeForms.transitions),
  dictionary: z
    .union([z.string().min(1), z.literal(false)])
    .optional()
    .describe(`${dictionary.describe}; false: none`),
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
