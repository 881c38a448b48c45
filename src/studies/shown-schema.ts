import * as z from 'zod';
import { quantityNames } from './measures/quantities.js';

const quantity = z.enum(quantityNames);
const names = z.array(z.string()).min(1).optional();

/** A table of a study: rows by columns for one quantity, or rows by quantities. */
export const tableSchema = z
  .strictObject({
    title: z.string().min(1).describe('heading'),
    quantity: quantity.optional().describe('rows of the study by its columns, for this quantity'),
    quantities: z
      .optional(z.array(quantity).min(1))
      .describe('rows of the study by these quantities'),
    rows: names.describe('only these rows of the study'),
    columns: names.describe('only these columns of the study'),
    published: z
      .optional(z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))))
      .describe(
        'published values, by row (row / column, where the table has both in its rows) and column or quantity; other values are only shown',
      ),
    source: z.string().default('published').describe('heading of the published values'),
    note: z.string().optional().describe('caption'),
  })
  .refine(table => (table.quantity === undefined) !== (table.quantities === undefined), {
    message: 'either quantity or quantities is needed',
  });

/** A plot with one point per run or, with `course`, one point per measurement in the course of the runs. */
export const plotSchema = z.strictObject({
  title: z.string().min(1).describe('heading'),
  x: quantity.describe('quantity on the x axis'),
  y: quantity.describe('quantity on the y axis'),
  course: z
    .boolean()
    .default(false)
    .describe('one line per variant, of what was measured during the run'),
  lines: z
    .enum(['rows', 'columns'])
    .default('rows')
    .describe('what the points of one line share: a row or a column; only without course'),
  rows: names.describe('only these rows of the study'),
  columns: names.describe('only these columns of the study'),
  log: z
    .array(z.enum(['x', 'y']))
    .default([])
    .describe('logarithmic axes'),
});

/** Box plots of a quantity over the replications of each variant. */
export const boxesSchema = z.strictObject({
  title: z.string().min(1).describe('heading'),
  quantity: quantity.describe('quantity on the axis'),
  rows: names.describe('only these rows of the study'),
  columns: names.describe('only these columns of the study'),
  log: z.boolean().default(false).describe('logarithmic axis'),
});

export type BoxesOptions = z.output<typeof boxesSchema>;

/** The test of all differences between rows. */
export const significanceSchema = z.strictObject({
  quantity: z.enum(['f1', 'accuracy']).describe('what is compared'),
  rows: names.describe('only these rows of the study'),
  columns: names.describe('only these columns of the study'),
  resamples: z.int().min(1).default(10_000).describe('resamples of the test sentences'),
  seed: z.int().min(0).default(1).describe('draws the resamples'),
});

export type SignificanceOptions = z.output<typeof significanceSchema>;
export type TableOptions = z.output<typeof tableSchema>;
export type PlotOptions = z.output<typeof plotSchema>;
