import * as z from 'zod';

const column = z.array(z.union([z.string(), z.number()]));

/** A record to be tagged; additional members are returned unchanged. */
export const recordSchema = z
  .looseObject({
    id: z.union([z.string(), z.number()]).optional(),
    text: z.string().optional(),
    tokens: z.array(z.string()).optional(),
    columns: z.record(z.string(), column).optional(),
  })
  .describe('a record with a text, or with tokens');

const range = z.tuple([z.int(), z.int()]);

const span = z.looseObject({
  label: z.string(),
  start: z.int().describe('its first token'),
  end: z.int().describe('the token after its last one'),
  offsets: range.optional().describe('its place in the text, in UTF-16 units'),
  text: z.string().optional(),
  probability: z.number().optional(),
});

const alternative = z.looseObject({
  tags: z.array(z.string()),
  score: z.number(),
  probability: z.number(),
  logProbability: z.number().describe('its logarithm, which does not underflow'),
});

const perSentence = z.array(z.number());

/** A tagged record. */
export const taggedSchema = z
  .looseObject({
    tokens: z.array(z.string()).optional(),
    offsets: z.array(range).optional(),
    sentences: z
      .array(range)
      .optional()
      .describe('token ranges of the sentences; absent if the record has tokens and no sentences'),
    tags: z.array(z.string()).optional(),
    spans: z.array(span).optional(),
    score: perSentence.optional().describe('score of the tags of each sentence'),
    probability: perSentence.optional().describe('probability of the tags of each sentence'),
    logProbability: perSentence
      .optional()
      .describe('logarithms of the probabilities, which do not underflow'),
    marginals: z
      .union([
        z.array(z.number()),
        z.array(z.record(z.string(), z.number())),
        z.array(z.record(z.string(), z.record(z.string(), z.number()))),
      ])
      .optional()
      .describe(
        'probabilities of the tag of each token, of all its labels, or of its pairs with the tag before',
      ),
    nbest: z.array(z.array(alternative)).optional().describe('the best sequences of each sentence'),
    nlp: z
      .looseObject({
        error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
      })
      .optional()
      .describe('why the record was not tagged'),
  })
  .describe('the record with its results');

export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().describe('the error code, as in the command and the library'),
    detail: z.string(),
    fix: z.string().optional(),
    record: z.int().optional().describe('number of the bad record, from 0'),
    line: z.int().optional().describe('line of the body, from 1'),
    column: z.int().optional().describe('column of the line, from 1'),
  })
  .describe('what went wrong (RFC 9457)');

/** The answer of `/v1/models`. */
export const modelsSchema = z.strictObject({
  models: z.array(
    z.strictObject({
      name: z.string(),
      aliases: z.array(z.string()),
      default: z.boolean(),
      version: z.string(),
      digest: z.string(),
      ready: z.boolean(),
    }),
  ),
});

const weight = z.object({
  kind: z.string(),
  name: z.string(),
  words: z.string().optional().describe('the feature in words'),
  value: z.number(),
  chosen: z.number(),
  runnerUp: z.number(),
  amount: z.number().describe('(chosen - runnerUp) * value'),
});

/** An explained record. */
export const explainedSchema = z
  .looseObject({
    id: z.union([z.string(), z.number()]).optional(),
    offsets: z.array(range).optional(),
    sentences: z.array(range),
    explanations: z.array(
      z.looseObject({
        token: z.string(),
        tag: z.string(),
        probability: z.number(),
        runnerUp: z.looseObject({ tag: z.string(), probability: z.number() }).optional(),
        difference: z.number().optional().describe('the sum of all contributions'),
        contributions: z.array(weight.loose()).describe('the strongest ones'),
      }),
    ),
  })
  .describe('why the tokens of a record have their tags');

/** A record in the service's answer: with its results, or with the reason for having none. */
export type TaggedRecord = z.output<typeof taggedSchema>;

/** The reasons for the tags of a record's tokens, in the service's answer. */
export type ExplainedAnswer = z.output<typeof explainedSchema>;

/** A model of a service, and its current version. */
export type ServiceModel = z.output<typeof modelsSchema>['models'][number];

/** The body of an error response. */
export type ProblemBody = z.output<typeof problemSchema>;

/** A record to tag, with a text or tokens; it is returned with all its other members. */
export type GivenRecord =
  | Frozen<z.input<typeof recordSchema>>
  | Frozen<KnownMembers<z.input<typeof recordSchema>>>;

/**
 * The members of a record that the schema names, without any others, because interfaces are assignable only to such a
 * type.
 */
export type KnownMembers<Loose> = {
  [Name in keyof Loose as string extends Name ? never : Name]: Loose[Name];
};

/** A value that is only read. */
export type Frozen<Value> = Value extends (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;
