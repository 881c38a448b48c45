import * as z from 'zod';
import type { CodeSpec } from '../../models/labels/code-columns.js';
import { mostBits } from '../../models/labels/code-words.js';
import type { ModelSpec } from '../../models/model-spec.js';

const decoder = z
  .enum(['product', 'marginals', 'hamming'])
  .default('product')
  .describe(
    'product: the tags whose words have the largest product of the probabilities of their bits; marginals: at each token the word nearest to the probabilities of its bits; hamming: the word nearest to the best bits',
  );

const kinds = {
  'one-against-rest': z.strictObject({ kind: z.literal('one-against-rest'), decoder }),
  exhaustive: z.strictObject({ kind: z.literal('exhaustive'), decoder }),
  random: z.strictObject({
    kind: z.literal('random'),
    bits: z.int().min(1).max(mostBits).describe('bits of a word, each with a chain of its own'),
    distance: z
      .int()
      .min(1)
      .default(1)
      .describe('bits in which any two words differ at least: (distance - 1) / 2 may be wrong'),
    seed: z.int().default(1).describe('seed of the words'),
    decoder,
  }),
};

/** The code of the labels. */
export const codesOption = z
  .discriminatedUnion('kind', [kinds['one-against-rest'], kinds.exhaustive, kinds.random])
  .describe(
    'tags are words of an error-correcting code, with a binary chain for each bit, so that time grows with the bits in place of the square of the tags: { kind: one-against-rest }, { kind: exhaustive } for a few tags, or { kind: random, bits: 15, distance: 3 }',
  );

/** The code that the plain data of a pipeline file asks for; undefined where there is none. */
export function chosenCodes(config: Readonly<Record<string, unknown>>): ModelSpec['codes'] {
  const model = config.model as
    | { readonly codes?: z.input<typeof codesOption> }
    | string
    | undefined;
  if (typeof model !== 'object' || model.codes === undefined) return undefined;
  return codesOption.parse(model.codes) satisfies CodeSpec;
}
