import * as z from 'zod';
import { answerKinds } from '../answers/answer.js';

const longestNote = 10_000;
const longestKey = 100;

const record = z.int().min(0);
const fixed = z.array(z.union([z.string(), z.null()]));

/** What the page asks for, by path; nothing else is accepted. */
export const requests = {
  show: z.strictObject({ record }),
  propose: z.strictObject({ record, fixed }),
  explain: z.strictObject({ record, token: z.int().min(0), fixed }),
  answer: z.strictObject({
    record,
    answer: z.enum(answerKinds),
    tags: z.array(z.string()).optional(),
    fixed: z.array(z.int().min(0)).optional(),
    corrections: z.int().min(0),
    note: z.string().max(longestNote).optional(),
    showing: z.string().max(longestKey).optional(),
    asked: z.array(z.int().min(0)).optional(),
    key: z.string().max(longestKey).optional(),
  }),
  search: z.strictObject({ text: z.string().min(1).max(1000), from: record }),
  empty: z.strictObject({}),
} as const;
