import * as z from 'zod';
import { quantityNames } from './measures/quantities.js';

const quantity = z.enum(quantityNames);
const names = z.array(z.string()).min(1).optional();

/** A table of a study: rows by columns for one quantity, or rows by quantities. */
export const tableSchema = z
  .strictObject({
    title: z.string().min(1).describe('stands over it'),
    quantity: quantity.optional().describe('rows of the study by its columns, for this quantity'),
    quantities: z
      .array(quantity)
      .min(1)
      .optional()
      .describe('rows of the study by these quantities'),
    rows: names.describe('only these rows of the study'),
    columns: names.describe('only these columns of the study'),
    published: z
      .record(z.string(), z.record(z.string(), z.union([z.number(), z.string()])))
      .optional()
      .describe(
        'published values, by row (row / column, where the table has both in its rows) and column or quantity; what is no number is only shown',
      ),
    source: z.string().default('published').describe('heading of the published values'),
    note: z.string().optional().describe('stands under it'),
  })
  .refine(table => (table.quantity === undefined) !== (table.quantities === undefined), {
    message: 'either quantity or quantities is needed',
  });

/** A drawing: a point for each run or, with `course`, for each measurement in the course of the runs. */
export const plotSchema = z.strictObject({
  title: z.string().min(1).describe('stands over it'),
  x: quantity.describe('to the right'),
  y: quantity.describe('upwards'),
  course: z
    .boolean()
    .default(false)
    .describe('a line for each variant, of what was measured in its course'),
  lines: z
    .enum(['rows', 'columns'])
    .default('rows')
    .describe('points of a row, or of a column, are one line; only without course'),
  rows: names.describe('only these rows of the study'),
  columns: names.describe('only these columns of the study'),
  log: z
    .array(z.enum(['x', 'y']))
    .default([])
    .describe('axes that are logarithmic'),
});

export type TableOptions = z.output<typeof tableSchema>;
export type PlotOptions = z.output<typeof plotSchema>;
