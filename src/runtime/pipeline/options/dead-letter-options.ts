import * as z from 'zod';
import { type Fault, faults, policies } from '../../../formats/bad-records/bad-record.js';
import { defaultErrorRate } from '../../../formats/bad-records/error-rate.js';
import { defaultRotation } from '../../io/dead-letters/dead-letters.js';

const policy = z.enum(policies);

const byFault = Object.entries(faults).map(([fault, meaning]) => [
  fault,
  policy.optional().describe(meaning),
]);

/** The treatment of records that cannot be read or processed. */
export const deadLetterOptions = z.strictObject({
  file: z
    .optional(z.string().min(1))
    .describe('file for rejected records, one per line; existing lines are kept'),
  default: z
    .optional(policy)
    .describe(
      'for faults not listed in policies: fail ends the run, skip only counts the record, dead-letter also keeps it, pass writes it with its error under the key into when tagging NDJSON; default: dead-letter if file is given; otherwise skip for NDJSON and streams, and fail for other corpora',
    ),
  policies: z
    .optional(
      z.strictObject(
        Object.fromEntries(byFault) as Record<
          Fault,
          z.ZodOptional<z.ZodEnum<{ [P in (typeof policies)[number]]: P }>>
        >,
      ),
    )
    .describe('policy for each kind of fault'),
  maxBytes: z
    .int()
    .min(2 ** 20)
    .default(defaultRotation.maxBytes)
    .describe(
      'maximum size of the file in bytes; then it becomes file.1, file.1 becomes file.2, and so on',
    ),
  keep: z
    .int()
    .min(0)
    .max(1000)
    .default(defaultRotation.keep)
    .describe('full files to keep; rejected records dropped with the oldest file are counted'),
  maxErrorRate: z
    .number()
    .min(0)
    .max(1)
    .default(defaultErrorRate.maxErrorRate)
    .describe('maximum share of bad records; the run ends when it is exceeded; 1: never'),
  after: z
    .int()
    .min(1)
    .default(defaultErrorRate.after)
    .describe('records, good and bad, before the share is first checked'),
  maxBadInRow: z
    .optional(z.int().min(0))
    .describe(
      'maximum number of consecutive bad records, not counting faults skipped by policies; one more ends the run; 0: no limit. Default: 1000, and no limit if maxErrorRate is 1',
    ),
});

export type DeadLetterSection = z.output<typeof deadLetterOptions>;
