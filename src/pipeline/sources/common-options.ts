import * as z from 'zod';
import { type Selection, selectionOptions } from '../../io/sources/select-records.js';

/** Options that every source has beside those of its codec. */
export const commonSourceShape = {
  files: z
    .array(z.string().min(1))
    .min(1)
    .default(['-'])
    .describe(
      'files to read in order, - is the standard input; gzip is detected, and Zstandard with Node 22.15',
    ),
  budget: z
    .int()
    .min(1)
    .optional()
    .describe('maximum number of records in flight; default: 10,000'),
  budgetBytes: z
    .int()
    .min(1)
    .optional()
    .describe(
      'maximum bytes of records in flight; default: 4 MiB, or 64 MiB for training in minibatches',
    ),
  ...selectionOptions.shape,
};

/** The budget that a source may be given. */
export interface BudgetOptions {
  readonly budget?: number | undefined;
  readonly budgetBytes?: number | undefined;
}

/** Which records are read of the files of a source. */
export function selectionOf(options: Readonly<Record<string, unknown>>): Selection {
  const { split, limit, folds } = options;
  return { split, limit, folds } as Selection;
}

/** The smaller of two limits of records, where there are any. */
export function leastLimit(a: unknown, b: number | undefined): number | undefined {
  const limits = [a, b].filter(limit => typeof limit === 'number');
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Whether a source reads a part of its records, which are then counted over the whole input. */
export function selects(options: Readonly<Record<string, unknown>>): boolean {
  return Object.values(selectionOf(options)).some(part => part !== undefined);
}

const common = [...Object.keys(commonSourceShape), 'from'];

/** Whether an option of a source says which records are read and how, not how they are written. */
export function isCommonOption(key: string): boolean {
  return common.includes(key);
}

/** The options without those that every source has. */
export function withoutCommon(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => !common.includes(key) && value !== undefined),
  );
}

/** The files that a source reads, as they stand in the pipeline file; none where its records come by a transport. */
export function filesOf(options: Readonly<Record<string, unknown>>): readonly string[] {
  if (options.from !== undefined) return [];
  return (options.files as readonly string[] | undefined) ?? ['-'];
}
