import * as z from 'zod/mini';
import { isStoredLexicon, type StoredLexicon } from '../../features/context/lexicon.js';
import {
  leastDirectoryBits,
  leastTableBits,
  mostDirectoryBits,
  mostTableBits,
} from '../../features/index/packed-keys.js';
import { mostLength } from '../../features/segments/segment-feature.js';
import { scorerOf, scorers } from '../../inference/scorers/scorers.js';
import { structureOf } from '../../inference/structures/structures.js';
import type { Similarity } from '../../kernels/vectors/support-vectors.js';
import { abbreviationProblem } from '../../text/sentences/abbreviations.js';
import { localeProblem } from '../../text/sentences/segmenter.js';
import { spanSchemes } from '../../text/tags/tag-scheme.js';
import type { StoredExpander, StoredTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import { tokenizerNames } from '../../text/tokenizers/named-tokenizer.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import { mostBits } from '../labels/code-columns.js';
import type { LearnedWords } from '../labels/dictionary-counts.js';
import type { StoredLabels, StoredLayers } from '../labels/stored-labels.js';
import type { TransitionRules } from '../labels/transition-rules.js';
import type { ModelSpec } from '../model-spec.js';
import type { CompactHeader } from './compact/compact-sections.js';
import { type ListedResource, listedSchema } from './resource-sections.js';
import { damagedModel, readSections, type SectionFile, schemaContext } from './section-file.js';

/** Version of the model file format. */
export const modelFormatVersion = 1;

/** Version of models with a nonlinear scorer, which older programs would treat as linear. */
const scorerFormatVersion = 2;

/** Version of compact files, which store features and weights in different sections. */
const compactFormatVersion = 3;

/**
 * Version of models with hidden states, labels in a different scheme than the records, a structure
 * other than a chain, trees or support vectors, which older programs would misread.
 */
const structureFormatVersion = 4;

/** Version of models with word vectors, or with a first model. */
const addedFormatVersion = 5;

/** Version of models that store their lexicon in a section. */
const lexiconFormatVersion = 6;

/** Version of bundles with a tokenizer. */
const tokenizerFormatVersion = 7;

/** Version of bundles with several taggers, and of models whose labels are composed of parts. */
const partsFormatVersion = 8;

/** Newest supported version: compact files with a directory of their features. */
export const newestFormatVersion = 9;

/**
 * Returns the oldest version whose readers support all parts of a model. It is the version of every file with this header:
 * a file with another one is damaged.
 */
export function formatVersionOf({
  spec,
  compact,
  resources,
  first,
  lexicon,
  tokenizer,
  bundle,
}: Pick<
  ModelHeader,
  'spec' | 'compact' | 'resources' | 'first' | 'lexicon' | 'tokenizer' | 'bundle'
>): number {
  const { hidden, scorer, encode } = spec;
  if (compact?.directory !== undefined) return newestFormatVersion;
  if (bundle !== undefined || spec.parts !== undefined) return partsFormatVersion;
  if (tokenizer !== undefined) return tokenizerFormatVersion;
  if (lexicon === true) return lexiconFormatVersion;
  if (first === true) return addedFormatVersion;
  if (resources?.some(({ kind }) => kind === 'vectors') === true) return addedFormatVersion;
  if (encode !== undefined || hidden !== undefined || structureOf(spec).name !== 'chain')
    return structureFormatVersion;
  if (scorerOf(scorer).needsNoWeights === true) return structureFormatVersion;
  if (compact !== undefined) return compactFormatVersion;
  return spec.scorer === undefined ? modelFormatVersion : scorerFormatVersion;
}

/** The header of a model file. */
export interface ModelHeader {
  /** Specification without its `resources`. */
  readonly spec: ModelSpec;
  /** The model's lists; absent if there are none. */
  readonly resources?: readonly ListedResource[];
  /** Whether the file contains that of a first model. */
  readonly first?: true;
  /** A bundle's tokenizer. */
  readonly tokenizer?: Pick<StoredTokenizer, 'locale'> & Partial<Pick<StoredExpander, 'words'>>;
  /** Column of the model's tags, and the taggers that follow it, for a bundle with several. */
  readonly bundle?: {
    readonly column: string;
    readonly layers: readonly {
      readonly column: string;
      /** Kind of the layer's label codec. */
      readonly codec: string;
      readonly by?: string;
    }[];
  };
  /** Label names by number; with hidden states, the states' names: `B-PER#1`, `B-PER#2`. */
  readonly labels: readonly string[];
  /** Columns of each label, if labels have layers. */
  readonly pairs?: StoredLayers;
  /** Names of the labels, if they are composed of parts. */
  readonly names?: readonly string[];
  /** Names and words of labels, if these are words of a code. */
  readonly words?: NonNullable<StoredLabels['words']>;
  readonly stateFeatures: number;
  readonly nonZeroWeights: number;
  readonly trainingSentences: number | null;
  /** The form in which a compact file stores the state features. */
  readonly compact?: CompactHeader;
  /** Number of votes of each voter, in the order of creation; absent if weights do not vote. */
  readonly voters?: readonly number[];
  /** Kernel function of the model's support vectors, if it has any. */
  readonly similarity?: Similarity;
  /** Allowed transitions of a span scheme; absent if any are allowed. */
  readonly transitions?: TransitionRules;
  /**
   * Whether a section contains the training corpus's lexicon, if templates use it; older files have the lexicon
   * itself here.
   */
  readonly lexicon?: true | StoredLexicon;
  /** The tag dictionary, if one was requested. */
  readonly dictionary?: LearnedWords;
}

const count = z.int().check(z.minimum(0));
const rows = z.int().check(z.minimum(1), z.maximum(2 ** 31));
const anyObject = z.looseObject({});

/** Maximum number of taggers after the first one of a bundle. */
export const mostLayers = 64;

/** Maximum number of labels: the sections store label numbers in 16 bits. */
const mostLabels = 2 ** 16;

const codesSchema = z.intersection(
  z.discriminatedUnion('kind', [
    z.looseObject({ kind: z.literal('one-against-rest') }),
    z.looseObject({ kind: z.literal('exhaustive') }),
    z.looseObject({ kind: z.literal('random'), bits: count, distance: count, seed: z.int() }),
    z.looseObject({
      ...{ kind: z.literal('chosen'), bits: count, seed: z.int() },
      confusions: z.optional(
        z.array(z.looseObject({ gold: z.string(), predicted: z.string(), count: z.number() })),
      ),
    }),
    z.looseObject({ kind: z.literal('words'), words: z.record(z.string(), z.string()) }),
  ]),
  z.looseObject({ decoder: z.enum(['product', 'marginals', 'hamming']) }),
);

const localeSchema = z
  .string()
  .check(z.refine(locale => localeProblem(locale) === undefined, 'no such language'));

const divisionSchema = z.looseObject({
  tokenizer: z.enum(tokenizerNames),
  pattern: z.optional(
    z.string().check(z.refine(isPattern, 'the pattern of a token cannot be read')),
  ),
  sentences: z.optional(z.boolean()),
  locale: z.optional(localeSchema),
  abbreviations: z.optional(
    z.array(z.string().check(z.refine(isAbbreviation, 'it is no abbreviation'))),
  ),
});

function isAbbreviation(text: string): boolean {
  return abbreviationProblem(text) === undefined;
}

function isPattern(source: string): boolean {
  try {
    regexTokenizer({ pattern: source });
    return true;
  } catch {
    return false;
  }
}

/** The rest of a specification is checked by the code that reads it. */
const separatedSchema = z.looseObject({ separator: z.string().check(z.minLength(1)) });

export const modelSpecSchema = z.looseObject({
  templates: z.string(),
  columns: z.array(z.string()),
  index: z.discriminatedUnion('mode', [
    z.looseObject({ mode: z.literal('exact'), cutoff: z.int().check(z.minimum(1)) }),
    z.looseObject({ mode: z.literal('hashed'), rows, edgeRows: rows }),
  ]),
  support: z.enum(['all', 'observed']),
  compressed: z.optional(z.literal(true)),
  prune: z.optional(
    z.looseObject({ most: z.int().check(z.minimum(1)), ratio: z.number().check(z.gt(0), z.lt(1)) }),
  ),
  scorer: z.optional(z.enum(scorers.map(({ name }) => name))),
  graph: z.optional(
    z.looseObject({
      features: z.optional(z.array(z.string())),
      potentials: z.enum(['free', 'associative']),
      schedule: z.enum(['flooding', 'residual']),
      maxWidth: z.int().check(z.minimum(0)),
      sameWord: z.optional(
        z.looseObject({
          of: z.enum(['capitalised', 'all']),
          column: z.string(),
          perToken: z.int().check(z.minimum(1)),
        }),
      ),
    }),
  ),
  hidden: z.optional(
    z.looseObject({
      states: z.int().check(z.minimum(2), z.maximum(mostLabels)),
      spread: z.number(),
      seed: z.int(),
    }),
  ),
  covariance: z.optional(z.literal('full')),
  segments: z.optional(
    z.looseObject({
      maxLength: z.int().check(z.minimum(1), z.maximum(mostLength)),
      features: z.array(z.string()).check(z.minLength(1)),
    }),
  ),
  layers: z.optional(separatedSchema),
  parts: z.optional(separatedSchema),
  codes: z.optional(codesSchema),
  encode: z.optional(z.literal('bioes')),
  dictionary: z.optional(z.looseObject({ minCount: z.int().check(z.minimum(1)) })),
  input: z.optional(z.looseObject({ codec: z.string(), options: z.optional(anyObject) })),
  tokenize: z.optional(divisionSchema),
  uses: z.optional(
    z.array(
      z.looseObject({
        plugin: z.string(),
        module: z.optional(z.string()),
        functions: z.array(z.string()),
      }),
    ),
  ),
});

/** Label names without duplicates, because they are numbered in order. */
export const labelsSchema = z.array(z.string()).check(
  z.maxLength(mostLabels),
  z.refine(names => new Set(names).size === names.length, 'a label occurs twice'),
);

const columnsOfPairs = z
  .array(z.int().check(z.minimum(0), z.maximum(mostLabels)))
  .check(z.maxLength(mostLabels));

/** Columns of labels with layers. */
export const pairsSchema = z.looseObject({
  ...{ first: columnsOfPairs, second: columnsOfPairs },
  further: z.optional(z.array(columnsOfPairs).check(z.maxLength(mostLabels))),
});

/** Names and words of labels. */
export const wordsSchema = z.looseObject({
  names: labelsSchema,
  digits: z.array(z.string().check(z.maxLength(mostBits))).check(z.maxLength(mostLabels)),
});

const labelNumbers = z
  .array(z.int().check(z.minimum(0), z.maximum(mostLabels)))
  .check(z.minLength(1));

/** Words with label numbers. */
export const learnedWordsSchema = z.array(z.tuple([z.string(), labelNumbers]));

/** Words with counts and label numbers. */
export const countedWordsSchema = z.array(
  z.tuple([z.string(), z.int().check(z.minimum(1)), labelNumbers]),
);

const labelOrEnd = z.int().check(z.minimum(-1));
const transitionsSchema = z.looseObject({
  scheme: z.enum([...spanSchemes, 'none']),
  also: z.array(z.tuple([labelOrEnd, labelOrEnd])),
});

const compactSchema = z.looseObject({
  unit: z.int().check(z.minimum(1), z.maximum(2 ** 24)),
  rows: count,
  bits: z.optional(z.int().check(z.minimum(leastTableBits), z.maximum(mostTableBits))),
  directory: z.optional(z.int().check(z.minimum(leastDirectoryBits), z.maximum(mostDirectoryBits))),
});

const number = z.number();

const similaritySchema = z.union([
  z.looseObject({
    polynomial: z.looseObject({
      ...{ degree: z.int().check(z.minimum(1)), gamma: number, constant: number },
    }),
  }),
  z.looseObject({ rbf: z.looseObject({ gamma: number }) }),
]);

const columnSchema = z.string().check(z.minLength(1));

const bundleSchema = z.looseObject({
  column: columnSchema,
  layers: z
    .array(z.looseObject({ column: columnSchema, codec: z.string(), by: z.optional(columnSchema) }))
    .check(z.minLength(1), z.maxLength(mostLayers)),
});

const headerSchema = z.looseObject({
  spec: modelSpecSchema,
  resources: z.optional(listedSchema),
  labels: labelsSchema,
  pairs: z.optional(pairsSchema),
  names: z.optional(labelsSchema),
  words: z.optional(wordsSchema),
  stateFeatures: count,
  nonZeroWeights: count,
  trainingSentences: z.nullable(count),
  compact: z.optional(compactSchema),
  similarity: z.optional(similaritySchema),
  voters: z.optional(z.array(z.int().check(z.minimum(1))).check(z.minLength(1))),
  transitions: z.optional(transitionsSchema),
  lexicon: z.optional(
    z.union([
      z.literal(true),
      z.custom<StoredLexicon>(isStoredLexicon, 'it is not a list of word classes'),
    ]),
  ),
  dictionary: z.optional(learnedWordsSchema),
  bundle: z.optional(
    bundleSchema.check(
      z.refine(
        ({ column, layers }) =>
          new Set([column, ...layers.map(layer => layer.column)]).size === layers.length + 1,
        'a column occurs twice',
      ),
    ),
  ),
  tokenizer: z.optional(
    z.looseObject({
      locale: localeSchema,
      words: z.optional(z.record(z.string(), z.array(z.string()).check(z.minLength(1)))),
    }),
  ),
});

/**
 * Returns the header of a model file, without reading the rest.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`
 */
export function readModelHeader(bytes: Uint8Array, source = '<model>'): ModelHeader {
  return modelHeaderOf(readSections(bytes, newestFormatVersion, source), source);
}

/**
 * Returns the header of a section file as that of a model.
 *
 * @throws TagstreamError `model-damaged` if it is not a model header, or of another format version
 */
export function modelHeaderOf(
  { header: given, version }: SectionFile,
  source: string,
): ModelHeader {
  const fail = damagedModel(source);
  const result = headerSchema.safeParse(given, schemaContext);
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw fail(`${path.join('.') || 'the header'}: ${message}`);
  }
  // The original object, because the schema's copy would drop a key `__proto__`.
  const header = given as unknown as ModelHeader;
  const expected = formatVersionOf(header);
  if (version === expected) return header;
  throw fail(`it has format version ${version}, but its content is of version ${expected}`);
}
