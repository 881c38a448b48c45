import * as z from 'zod';
import {
  type GraphSpec,
  mostPerToken,
  parseLinkFeatures,
} from '../../../engine/features/links/link-feature.js';
import type { Resources } from '../../../engine/features/resources/resources.js';
import {
  defaultSegmentFeatures,
  mostLength,
  type SegmentSpec,
  segmentFeatureKinds,
} from '../../../engine/features/segments/segment-feature.js';
import type { Pruning } from '../../../engine/kernels/pruning/candidates.js';
import type { ConfusionCell } from '../../../engine/metrics/evaluation/confusion.js';
import {
  type CodeSpec,
  mostBits,
  wordsFix,
  wordsProblem,
} from '../../../engine/models/labels/code-columns.js';
import type { ModelSpec } from '../../../engine/models/model-spec.js';

const usualLength = 4;

function listed(takes: string): string {
  return segmentFeatureKinds
    .filter(kind => kind.takes === takes)
    .map(({ name, summary }) => `${name} (${summary})`)
    .join(', ');
}

/** Spans that are scored in addition to tokens. */
export const segmentShape = {
  maxLength: z
    .optional(z.int().min(1).max(mostLength))
    .describe(
      `structure segments: the longest span with features, in tokens; longer ones share a weight. Default: ${usualLength}`,
    ),
  segmentFeatures: z
    .optional(z.array(z.string().min(1)).min(1))
    .describe(
      `structure segments: features of a span: ${listed('nothing')}; of the token or, as in text:pos, another column: ${listed('column')}; with the name of a list: ${listed('list')}; with B: before it, as in B:length, a weight for each pair of the label before the span and its type. Default: ${defaultSegmentFeatures.join(', ')}, and the lists that there are`,
    ),
};

/** The chosen values of `segmentShape`. */
export interface SegmentChoice {
  readonly maxLength?: number | undefined;
  readonly segmentFeatures?: readonly string[] | undefined;
}

/**
 * Returns how a model with the chosen options scores spans.
 *
 * @param lists lists of the model
 * @example
 * segmentSpecOf({ segmentFeatures: ['text'] }) // => { maxLength: 4, features: ['text'] }
 */
export function segmentSpecOf(
  { maxLength = usualLength, segmentFeatures }: SegmentChoice,
  lists: Resources = {},
): SegmentSpec {
  const names = Object.keys(lists.gazetteers ?? {}).map(name => `gazetteer:${name}`);
  return { maxLength, features: segmentFeatures ?? [...defaultSegmentFeatures, ...names] };
}

const usual = { column: 'form', perToken: 1, maxWidth: 3 } as const;

const of = z.enum(['capitalised', 'all']);

/** Tokens as nodes of a graph. */
export const graphShape = {
  links: z
    .optional(
      z.strictObject({
        sameWord: of.describe(
          'links between equal tokens: capitalised: those with a first letter in upper case; all',
        ),
        column: z
          .optional(z.string().min(1))
          .describe(`the column whose values are compared; default: ${usual.column}, the token`),
        perToken: z
          .optional(z.int().min(1).max(mostPerToken))
          .describe(
            `number of nearest earlier equal tokens to link each token with; default: ${usual.perToken}`,
          ),
      }),
    )
    .describe(
      'structure graph: links to create, besides those of two or more tokens that records name in "links": [[0, 7, "type"], ...]. Default: none',
    ),
  linkFeatures: z
    .optional(z.array(z.string().min(1)).min(1))
    .describe(
      'structure graph: features of each link besides its type: text, lower, shape or type of its tokens, as lower or lower:pos, and distance. Default: nothing',
    ),
  potentials: z
    .optional(z.enum(['free', 'associative']))
    .describe(
      'structure graph: free: a link type has a weight for each pair of labels; associative: only for equal labels and never negative, so that graph cuts find the best labels (needs templates without B). Default: free',
    ),
  maxWidth: z
    .optional(z.int().min(0).max(8))
    .describe(
      `structure graph: records are inferred exactly up to this width of a junction tree, with labels^(width + 1) numbers per token; wider ones by message passing or graph cuts. Default: ${usual.maxWidth}`,
    ),
  schedule: z
    .optional(z.enum(['residual', 'flooding']))
    .describe(
      'structure graph: order of the messages of loopy belief propagation: residual: what changes most first; flooding: all at once. Default: residual',
    ),
};

/** The chosen values of `graphShape`. */
export type GraphChoice = {
  readonly [Key in keyof typeof graphShape]?: z.output<(typeof graphShape)[Key]> | undefined;
};

/**
 * Returns how a model with the chosen options makes tokens nodes of a graph.
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

/** Checks link features, and returns their source text. */
function featuresOf(sources: readonly string[]): string[] {
  return parseLinkFeatures(sources).map(({ source }) => source);
}

/** A pipeline file's request for the code of its labels. */
export interface CodeRequest {
  readonly kind: CodeSpec['kind'];
  readonly words?: Readonly<Record<string, string>> | undefined;
  readonly bits?: number | undefined;
  readonly distance?: number | undefined;
  readonly seed?: number | undefined;
  readonly confusions?: readonly ConfusionCell[] | undefined;
  readonly decoder?: CodeSpec['decoder'] | undefined;
}

/** Returns whether a kind of code is random, with a seed and a number of bits. */
function isSeeded(kind: CodeSpec['kind']): boolean {
  return kind === 'random' || kind === 'chosen';
}

/** The code of the labels. */
export const codesOption: z.ZodType<CodeRequest, CodeRequest> = z
  .strictObject({
    kind: z
      .enum(['one-against-rest', 'exhaustive', 'random', 'chosen', 'words'])
      .describe(
        'one-against-rest: a bit per tag; exhaustive: a bit per way to split the tags in two, for at most 11 tags; random: random code words; chosen: code words searched for, far apart and above all for tags that are often confused; words: those that you give',
      ),
    words: z
      .optional(z.record(z.string().min(1), z.string()))
      .describe(
        "words: the word of each tag, in digits 0 and 1, all different and of one length: { DET: '00', NOUN: '01', VERB: '11' }; quote them",
      ),
    bits: z
      .optional(z.int().min(1).max(mostBits))
      .describe('random and chosen: bits of a code word, each with its own chain'),
    distance: z
      .optional(z.int().min(1))
      .describe(
        'random: minimum Hamming distance of any two words; (distance - 1) / 2 wrong bits can be corrected. Default: 1',
      ),
    seed: z.int().optional().describe('random and chosen: seed of the words. Default: 1'),
    confusions: z
      .optional(
        z.array(
          z.strictObject({ gold: z.string(), predicted: z.string(), count: z.number().min(0) }),
        ),
      )
      .describe(
        'chosen: how often a first model takes a tag for another, as confusions in the JSON of an evaluation. Default: all pairs of tags alike',
      ),
    decoder: z
      .enum(['product', 'marginals', 'hamming'])
      .default('product')
      .describe(
        'product: the tags whose words have the largest product of the probabilities of their bits; marginals: at each token the word nearest to the probabilities of its bits; hamming: the word nearest to the best bits',
      ),
  })
  .refine(({ kind, bits }) => isSeeded(kind) === (bits !== undefined), {
    message:
      'bits are required for a random or chosen code, and only for these: { kind: random, bits: 15 }',
  })
  .refine(({ kind, seed }) => isSeeded(kind) || seed === undefined, {
    message: 'seed applies only to a random or chosen code: { kind: random, bits: 15 }',
  })
  .refine(({ kind, distance }) => kind === 'random' || distance === undefined, {
    message: 'distance applies only to a random code: { kind: random, bits: 15 }',
  })
  .refine(({ kind, confusions }) => kind === 'chosen' || confusions === undefined, {
    message: 'confusions apply only to a chosen code: { kind: chosen, bits: 15 }',
  })
  .refine(({ kind, words }) => (kind === 'words') === (words !== undefined), {
    message:
      "a code of kind words needs words, and no other has them: { kind: words, words: { X: '0', Y: '1' } }",
  })
  .superRefine(({ words }, context) => {
    const problem = words && wordsProblem(words);
    if (problem === undefined) return;
    context.addIssue({ code: 'custom', path: ['words'], message: `${problem} (${wordsFix})` });
  })
  .describe(
    'encode tags as words of an error-correcting code, with a binary chain for each bit: time grows with the bits instead of the square of the tags',
  );

/** Returns the requested code, with defaults. */
export function codeSpecOf(asked: CodeRequest): CodeSpec {
  const { kind, words, bits, distance = 1, seed = 1, confusions, decoder = 'product' } = asked;
  if (kind === 'chosen') {
    return {
      kind,
      bits: bits!,
      ...(confusions === undefined ? {} : { confusions }),
      seed,
      decoder,
    };
  }
  if (kind === 'words') return { kind, words: words!, decoder };
  return kind === 'random' ? { kind, bits: bits!, distance, seed, decoder } : { kind, decoder };
}

/** The structures of labels, each with its options. */
export const structureShape = {
  structure: z
    .optional(z.enum(['chain', 'segments', 'graph']))
    .describe(
      'what is scored besides single tokens: chain: pairs of neighbours; segments: also whole spans, with their own features (a semi-Markov model); graph: also linked tokens (a skip-chain, or linked records). Default: chain',
    ),
  layers: z
    .optional(z.string().min(1))
    .describe(
      'tags have two or more layers separated by this text, as in DT|B-NP: each layer has its own weights, and so does each pair that occurs (factorial CRF)',
    ),
  parts: z
    .optional(z.string().min(1))
    .describe(
      'tags consist of parts separated by this text, as in NOUN|Case=Nom|Number=Sing: weights belong to parts, so that tags share them',
    ),
  codes: codesOption.optional(),
  prune: z
    .optional(
      z.strictObject({
        most: z
          .int()
          .min(1)
          .max(1000)
          .default(24)
          .describe('maximum number of labels that a token keeps'),
        ratio: z
          .number()
          .gt(0)
          .lt(1)
          .default(0.0001)
          .describe(
            'drop labels whose probability at the token, without its neighbours, is below this share of that of the best one',
          ),
      }),
    )
    .describe(
      'for hundreds of labels: sequences are made of the best few labels of each token, in training with its gold label; inference takes a fraction of the time. prune: {} uses the defaults; default: all labels',
    ),
  ...segmentShape,
  ...graphShape,
};

/** The chosen values of `structureShape`. */
export interface StructureChoice extends SegmentChoice, GraphChoice {
  readonly structure?: 'chain' | 'segments' | 'graph' | undefined;
  readonly layers?: string | undefined;
  readonly parts?: string | undefined;
  readonly codes?: CodeRequest | undefined;
  readonly prune?: Pruning | undefined;
}

const owners = [
  ['segments', Object.keys(segmentShape)],
  ['graph', Object.keys(graphShape)],
] as const;

/** Rejects options of a structure that is not chosen. */
export function refuseMisplaced(chosen: StructureChoice, context: z.RefinementCtx): void {
  const { structure = 'chain' } = chosen;
  for (const [owner, names] of owners) {
    const given = names.filter(name => chosen[name as keyof StructureChoice] !== undefined);
    if (structure === owner || given.length === 0) continue;
    const message = `${names.join(' and ')} need structure: ${owner}`;
    context.addIssue({ code: 'custom', message });
  }
}

/**
 * Returns the part of a model's specification that the chosen options request; empty for a chain.
 *
 * @param lists lists of the model
 */
export function structureSpecOf(
  chosen: StructureChoice,
  lists: Resources = {},
): Pick<ModelSpec, 'segments' | 'graph' | 'layers' | 'parts' | 'codes' | 'prune'> {
  return {
    ...(chosen.prune === undefined ? {} : { prune: chosen.prune }),
    ...(chosen.structure === 'segments' ? { segments: segmentSpecOf(chosen, lists) } : {}),
    ...(chosen.structure === 'graph' ? { graph: graphSpecOf(chosen) } : {}),
    ...columnsSpecOf(chosen),
  };
}

/**
 * Returns the part of the specification that defines the columns that labels are made of; empty if each label has its
 * own column.
 */
export function columnsSpecOf({
  layers,
  parts,
  codes,
}: Pick<StructureChoice, 'layers' | 'parts' | 'codes'>): Pick<
  ModelSpec,
  'layers' | 'parts' | 'codes'
> {
  return {
    ...(layers === undefined ? {} : { layers: { separator: layers } }),
    ...(parts === undefined ? {} : { parts: { separator: parts } }),
    ...(codes === undefined ? {} : { codes: codeSpecOf(codes) }),
  };
}
