import * as z from 'zod';
import { defaultErrorRate } from '../../io/bad-records/error-rate.js';
import { type Fault, faults } from '../../io/bad-records/fault.js';
import { policies } from '../../io/bad-records/policy.js';
import { defaultRotation } from '../../io/dead-letters/dead-letters.js';

const policy = z.enum(policies);

const byFault = Object.entries(faults).map(([fault, meaning]) => [
  fault,
  policy.optional().describe(meaning),
]);

/** What becomes of records that cannot be read or processed. */
export const deadLetterOptions = z.strictObject({
  file: z
    .string()
    .min(1)
    .optional()
    .describe('where bad records are kept, one rejected record a line; what is there stays'),
  default: policy
    .optional()
    .describe(
      'for faults that policies does not name: fail ends the run, skip counts, dead-letter keeps as well; default: dead-letter where file is given, else skip for NDJSON and streams, and fail for other corpora',
    ),
  policies: z
    .strictObject(
      Object.fromEntries(byFault) as Record<
        Fault,
        z.ZodOptional<z.ZodEnum<{ [P in (typeof policies)[number]]: P }>>
      >,
    )
    .optional()
    .describe('by what is wrong with the record'),
  maxBytes: z
    .int()
    .min(2 ** 20)
    .default(defaultRotation.maxBytes)
    .describe(
      'bytes of the file at most; then it becomes file.1, file.1 becomes file.2, and so on',
    ),
  keep: z
    .int()
    .min(0)
    .max(1000)
    .default(defaultRotation.keep)
    .describe('full files that stay; rejected records dropped with the oldest are counted'),
  maxErrorRate: z
    .number()
    .min(0)
    .max(1)
    .default(defaultErrorRate.maxErrorRate)
    .describe('share of bad records that ends the run when it is exceeded; 1: never'),
  after: z
    .int()
    .min(1)
    .default(defaultErrorRate.after)
    .describe('records, good and bad, before which the share is not looked at'),
  maxBadInRow: z
    .int()
    .min(0)
    .optional()
    .describe(
      'bad records one after the other that are allowed, without those of faults that policies says to skip; one more ends the run; 0: any number. Default 1000, and any number where maxErrorRate is 1',
    ),
});

export type DeadLetterSection = z.output<typeof deadLetterOptions>;
