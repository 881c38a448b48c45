import { TagstreamError } from '../../core/errors.js';

/** The option of every command that reads records one after the other. */
export const limitOption = {
  limit: {
    type: 'number',
    requiresArg: true,
    coerce: countOf,
    conflicts: 'resume',
    describe: 'maximum number of records to read, as if the input ended there',
  },
} as const;

export interface LimitArguments {
  readonly limit?: number | undefined;
}

/** @throws TagstreamError `usage` unless it is a whole number from 1 on */
function countOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new TagstreamError('usage', `--limit ${String(value)} is not a number of records`, {
    fix: 'give one whole number of at least 1',
  });
}
