import * as z from 'zod';
import { quantityNames } from './measures/quantities.js';

const run = { row: z.string(), column: z.string().optional() };

/** What has to come out of a study, about the mean of a quantity. */
export const expectationSchema = z
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
