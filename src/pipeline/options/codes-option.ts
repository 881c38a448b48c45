import * as z from 'zod';
import type { CodeSpec } from '../../models/labels/code-columns.js';
import { mostBits } from '../../models/labels/code-words.js';

/** What a pipeline file says of the code of its labels. */
export interface CodeRequest {
  readonly kind: CodeSpec['kind'];
  readonly bits?: number | undefined;
  readonly distance?: number | undefined;
  readonly seed?: number | undefined;
  readonly decoder?: CodeSpec['decoder'] | undefined;
}

/** The code of the labels. */
export const codesOption: z.ZodType<CodeRequest, CodeRequest> = z
  .strictObject({
    kind: z
      .enum(['one-against-rest', 'exhaustive', 'random'])
      .describe(
        'one-against-rest: a bit for each tag; exhaustive: one for each way to cut the tags in two, for at most 11 tags; random: words that are drawn',
      ),
    bits: z
      .int()
      .min(1)
      .max(mostBits)
      .optional()
      .describe('random: bits of a word, each with a chain of its own'),
    distance: z
      .int()
      .min(1)
      .optional()
      .describe(
        'random: bits in which any two words differ at least; (distance - 1) / 2 of them may be wrong. Default: 1',
      ),
    seed: z.int().optional().describe('random: seed of the words. Default: 1'),
    decoder: z
      .enum(['product', 'marginals', 'hamming'])
      .default('product')
      .describe(
        'product: the tags whose words have the largest product of the probabilities of their bits; marginals: at each token the word nearest to the probabilities of its bits; hamming: the word nearest to the best bits',
      ),
  })
  .refine(({ kind, bits }) => (kind === 'random') === (bits !== undefined), {
    message: 'a random code needs bits, and no other has them: { kind: random, bits: 15 }',
  })
  .refine(
    ({ kind, distance, seed }) =>
      kind === 'random' || (distance === undefined && seed === undefined),
    { message: 'distance and seed are those of a random code: { kind: random, bits: 15 }' },
  )
  .describe(
    'tags are words of an error-correcting code, with a binary chain for each bit: time grows with the bits in place of the square of the tags',
  );

/** The code that is asked for, with its defaults. */
export function codeSpecOf(asked: CodeRequest): CodeSpec {
  const { kind, bits, distance = 1, seed = 1, decoder = 'product' } = asked;
  return kind === 'random' ? { kind, bits: bits!, distance, seed, decoder } : { kind, decoder };
}
