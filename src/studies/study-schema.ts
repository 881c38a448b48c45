import * as z from 'zod';
import type { Pipeline } from '../runtime/pipeline/definition/pipeline.js';
import { type QuantityName, quantities, quantityNames } from './measures/quantities.js';
import { boxesSchema, plotSchema, significanceSchema, tableSchema } from './shown-schema.js';

const run = { row: z.string(), column: z.string().optional() };

/** An expected result of a study, about the mean of a quantity. */
const expectationSchema = z
  .strictObject({
    quantity: z.enum(quantityNames),
    row: z.string().optional().describe('the variant'),
    column: z.string().optional().describe('its column, where the study has columns'),
    atLeast: z.number().optional().describe('smallest value, or smallest multiple of that of `of`'),
    atMost: z.number().optional().describe('largest value, or largest multiple of that of `of`'),
    of: z.strictObject(run).optional().describe('the variant that it is compared with'),
    rows: z.array(z.string()).min(2).optional().describe('variants that are compared'),
    within: z.number().min(0).optional().describe('maximum difference between them'),
  })
  .refine(
    ({ row, rows, within, atLeast, atMost }) =>
      rows === undefined
        ? row !== undefined && within === undefined && (atLeast ?? atMost) !== undefined
        : row === undefined && within !== undefined && (atLeast ?? atMost) === undefined,
    { message: 'either row with atLeast or atMost, or rows with within is needed' },
  );

export type Expectation = z.output<typeof expectationSchema>;

const settings = z
  .record(z.string().min(1), z.unknown())
  .describe('settings that override those of the pipeline, such as stages.optimize.sgd.eta0: 0.05');

const variant = z.strictObject({
  name: z
    .string()
    .min(1)
    .regex(/^[^/]*$/, 'a name without / is expected')
    .describe('name in tables, published values and --only'),
  pipeline: z.string().min(1).optional().describe('another pipeline file'),
  set: settings.optional(),
});

const quantity = z
  .enum(quantityNames)
  .describe(quantities.map(({ name, about }) => `${name}: ${about}`).join('; '));

const replications = z.strictObject({
  count: z.int().min(1).default(1).describe('runs of each variant'),
  seed: z.int().default(1).describe('seed of the first run; each further run takes the next'),
  set: z
    .array(z.string().min(1))
    .min(1)
    .default(['train.seed'])
    .describe('settings that receive the seed, such as source.hmm.seed'),
});

const small = z
  .strictObject({
    set: settings.optional(),
    rows: z.array(z.string()).min(1).optional().describe('only these'),
    columns: z.array(z.string()).min(1).optional().describe('only these'),
    replications: z.int().min(1).default(1).describe('runs of each variant'),
  })
  .describe('what --small changes, so that the study takes seconds');

/** A study file: variants of a pipeline, the quantities measured in them, and how they are shown. */
export const studySchema = z.strictObject({
  version: z.literal(1).describe('version of this format'),
  name: z
    .string()
    .regex(/^[\w.-]+$/, 'a name has letters, digits, . _ and - only')
    .describe('name of the study'),
  title: z.string().min(1).describe('the question that it answers'),
  reference: z.string().optional().describe('citation of the paper that it reproduces'),
  about: z.string().optional().describe('data, features and how settings were chosen'),
  pipeline: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .describe('the pipeline that all variants start from: a file, or the pipeline itself'),
  set: settings.optional(),
  rows: z
    .array(variant)
    .min(1)
    .describe('the variants; with columns, each is run with each column'),
  columns: z.array(variant).min(1).optional().describe('each row is run with each of these'),
  cells: z
    .optional(
      z.array(
        z.strictObject({
          row: z.string().describe('name of the row'),
          column: z.string().optional().describe('name of the column; default: all'),
          set: settings.optional(),
          skip: z.boolean().default(false).describe('omit this run'),
        }),
      ),
    )
    .describe('settings of single runs'),
  replications: replications.prefault({}).describe('runs of each variant with other seeds'),
  measure: z.array(quantity).min(1).describe('what is measured for each run'),
  course: z
    .optional(
      z.strictObject({
        measure: z.array(quantity).min(1).describe('what is measured'),
        every: z.int().min(1).default(1).describe('passes from one measurement to the next'),
      }),
    )
    .describe('what is also measured during the runs, for plots'),
  tables: z
    .optional(z.array(tableSchema).min(1))
    .describe('tables; default: one of all that is measured'),
  significance: significanceSchema
    .optional()
    .describe(
      'test all differences between rows, by a paired bootstrap with a correction for their number; a table shows them',
    ),
  plots: z.array(plotSchema).optional().describe('drawings on the page of --html'),
  boxes: z
    .array(boxesSchema)
    .optional()
    .describe('box plots of replications, on the page of --html'),
  expect: z
    .optional(z.array(expectationSchema))
    .describe('expected results; not checked with --small'),
  notes: z.array(z.string()).optional().describe('paragraphs that follow the tables'),
  results: z
    .optional(z.string().min(1))
    .describe('file of the results so far; default: name.results.ndjson next to the study'),
  small: small.optional(),
});

export type StudyFile = z.output<typeof studySchema>;
export type VariantOptions = z.output<typeof variant>;

/** A checked study file, with the pipelines of all its runs. */
export interface Study {
  readonly file: string;
  /** Base folder of relative paths. */
  readonly baseDirectory: string;
  readonly options: StudyFile;
  /** The runs, ordered by row, then column, then seed. */
  readonly runs: readonly StudyRun[];
  /** Rows and columns that have runs, in the order of the file. */
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** All measures of each run. */
  readonly measured: ReadonlySet<QuantityName>;
  /** Whether the study is in its small form. */
  readonly small: boolean;
  /** Whether only some variants were requested. */
  readonly partial: boolean;
}

/** One training run of a study. */
export interface StudyRun {
  readonly row: string;
  /** Name of the column; undefined if the study has no columns. */
  readonly column: string | undefined;
  readonly seed: number;
  readonly pipeline: Pipeline;
}

/** Returns the name of a variant: its row, or row / column. */
export function variantName(row: string, column: string | undefined): string {
  return column === undefined ? row : `${row} / ${column}`;
}

/** Returns the JSON Schema of study files, for editors, from the schema that checks them. */
export function studyJsonSchemaText(): string {
  const schema = z.toJSONSchema(studySchema, { io: 'input', target: 'draft-7', reused: 'ref' });
  return `${JSON.stringify({ title: 'Tagstream study', ...schema }, null, 2)}\n`;
}
