import * as z from 'zod';
import { parseLinkFeatures } from '../../features/links/link-feature.js';
import { type GraphSpec, mostPerToken } from '../../features/links/link-spec.js';

const usual = { column: 'form', perToken: 1, maxWidth: 3 } as const;

const of = z.enum(['capitalised', 'all']);

/** Tokens as nodes of a graph. */
export const graphShape = {
  links: z
    .strictObject({
      sameWord: of.describe(
        'links between equal tokens: capitalised: those with a first letter in upper case; all',
      ),
      column: z
        .string()
        .min(1)
        .optional()
        .describe(`the column whose values are compared; default: ${usual.column}, the token`),
      perToken: z
        .int()
        .min(1)
        .max(mostPerToken)
        .optional()
        .describe(
          `each token is linked with so many of the nearest equal ones before it; default: ${usual.perToken}`,
        ),
    })
    .optional()
    .describe(
      'structure graph: links that are made, beside those that records name in "links": [[0, 7, "type"], ...]. Default: none',
    ),
  linkFeatures: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'structure graph: what is scored of each link beside its type: text, lower, shape or type of the tokens at both ends, as lower or lower:pos, and distance. Default: nothing',
    ),
  potentials: z
    .enum(['free', 'associative'])
    .optional()
    .describe(
      'structure graph: free: a link type has a weight for each pair of labels; associative: for equal labels alone, and not below 0, so that cuts find the best labels (needs templates without B). Default: free',
    ),
  maxWidth: z
    .int()
    .min(0)
    .max(8)
    .optional()
    .describe(
      `structure graph: records are inferred exactly up to this width of a junction tree, with labels^(width + 1) numbers for a token; wider ones by messages, or cuts. Default: ${usual.maxWidth}`,
    ),
  schedule: z
    .enum(['residual', 'flooding'])
    .optional()
    .describe(
      'structure graph: order of the messages of loopy belief propagation: residual: what changes most first; flooding: all at once. Default: residual',
    ),
};

/** What is chosen of `graphShape`. */
export type GraphChoice = {
  readonly [Key in keyof typeof graphShape]?: z.output<(typeof graphShape)[Key]> | undefined;
};

/**
 * How a model of these options makes tokens nodes of a graph.
 *
 * @example
 * graphSpecOf({ links: { sameWord: 'all' } })
 * // => { sameWord: { of: 'all', column: 'form', perToken: 1 }, potentials: 'free', maxWidth: 3, schedule: 'residual' }
 */
export function graphSpecOf({
  links,
  linkFeatures,
  potentials = 'free',
  maxWidth = usual.maxWidth,
  schedule = 'residual',
}: GraphChoice): GraphSpec {
  const { sameWord, column = usual.column, perToken = usual.perToken } = links ?? {};
  return {
    ...(sameWord === undefined ? {} : { sameWord: { of: sameWord, column, perToken } }),
    ...(linkFeatures === undefined ? {} : { features: featuresOf(linkFeatures) }),
    ...{ potentials, maxWidth, schedule },
  };
}

/** Link features that there are, as they were written. */
function featuresOf(sources: readonly string[]): string[] {
  return parseLinkFeatures(sources).map(({ source }) => source);
}
