import * as z from 'zod';
import type { LearnedWords } from './dictionary-counts.js';
import type { ModelSpec } from './model-spec.js';
import type { ListedResource } from './resource-sections.js';
import { damagedModel, readSections, type SectionFile } from './section-file.js';
import type { TransitionRules } from './transition-rules.js';

/** Version of the format of model files; a file of another version is refused. */
export const modelFormatVersion = 1;

/** What a model file says of itself in its header. */
export interface ModelHeader {
  /** Without its `resources`. */
  readonly spec: ModelSpec;
  /** The lists of the model; absent where there are none. */
  readonly resources?: readonly ListedResource[];
  readonly labels: readonly string[];
  readonly stateFeatures: number;
  readonly nonZeroWeights: number;
  readonly trainingSentences: number | null;
  /** The votes of each voter, in the order in which they came to be; absent where the weights are all there is. */
  readonly voters?: readonly number[];
  /** Which transitions the tags may have, of a span scheme; any where it is absent. */
  readonly transitions?: TransitionRules;
  /** The tag dictionary, where one was asked for. */
  readonly dictionary?: LearnedWords;
}

const count = z.int().min(0);
const rows = z
  .int()
  .min(1)
  .max(2 ** 31);
const anyObject = z.looseObject({});

/** Labels are numbers of 16 bits in the sections. */
const mostLabels = 2 ** 16;

/** What the rest of a specification may be is for those to say who read it. */
export const modelSpecSchema = z.looseObject({
  templates: z.string(),
  columns: z.array(z.string()),
  index: z.discriminatedUnion('mode', [
    z.looseObject({ mode: z.literal('exact'), cutoff: z.int().min(1) }),
    z.looseObject({ mode: z.literal('hashed'), rows, edgeRows: rows }),
  ]),
  support: z.enum(['all', 'observed']),
  dictionary: z.looseObject({ minCount: z.int().min(1) }).optional(),
  input: anyObject.optional(),
  tokenize: anyObject.optional(),
});

/** Names of labels, none twice: they are numbered by their order. */
export const labelsSchema = z
  .array(z.string())
  .max(mostLabels)
  .refine(names => new Set(names).size === names.length, { message: 'a label stands there twice' });

const labelNumbers = z.array(z.int().min(0).max(mostLabels)).min(1);

/** Words with numbers of labels. */
export const learnedWordsSchema = z.array(z.tuple([z.string(), labelNumbers]));

/** Words with how often they came, and numbers of labels. */
export const countedWordsSchema = z.array(z.tuple([z.string(), z.int().min(1), labelNumbers]));

const transitionsSchema = z.looseObject({
  scheme: z.enum(['IO', 'BIO', 'BIOES', 'none']),
  also: z.array(z.tuple([z.int().min(-1), z.int().min(-1)])),
});

const headerSchema = z.looseObject({
  spec: modelSpecSchema,
  labels: labelsSchema,
  stateFeatures: count,
  nonZeroWeights: count,
  trainingSentences: count.nullable(),
  voters: z.array(z.int().min(1)).min(1).optional(),
  transitions: transitionsSchema.optional(),
  dictionary: learnedWordsSchema.optional(),
});

/**
 * The header of a model file, without reading the rest.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`
 */
export function readModelHeader(bytes: Uint8Array, source = '<model>'): ModelHeader {
  return modelHeaderOf(readSections(bytes, modelFormatVersion, source), source);
}

/**
 * The header of a file of sections, as that of a model.
 *
 * @throws TagstreamError `model-damaged` where it is not one
 */
export function modelHeaderOf({ header }: SectionFile, source: string): ModelHeader {
  const result = headerSchema.safeParse(header);
  // As it was read: a copy made by the schema would leave out a key `__proto__`.
  if (result.success) return header as unknown as ModelHeader;
  const { path, message } = result.error.issues[0]!;
  throw damagedModel(source)(`${path.join('.') || 'the header'}: ${message}`);
}
