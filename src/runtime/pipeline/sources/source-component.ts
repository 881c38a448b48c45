import * as z from 'zod';
import { allOnResume, onResume } from '../../../engine/core/schema/on-resume.js';
import type { TransportSetting } from '../../../engine/interfaces/messages.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { FormatTraits } from '../../../formats/codecs/format-traits.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import { type Selection, selectionOptions } from '../../io/sources/select-records.js';
import type { Transport } from '../../io/transports/transport.js';
import type { Chosen } from '../options/one-of.js';

/** A record format in pipeline files. */
export interface SourceComponent extends FormatTraits {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly options: z.ZodType;
  /** Returns the codec's options among those of the source. */
  codecOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  codec(options: Readonly<Record<string, unknown>>): Codec;
  /** Whether bad records of a corpus are skipped by default. Default false: they end reading. */
  readonly lenient?: boolean;
  /** Whether the files hold dead letters with records of the format. */
  readonly replays?: boolean;
  /** Returns the records as bytes that replace files; the name `-` refers to them. */
  generated?(options: Readonly<Record<string, unknown>>): InputStream;
  /** Returns the transport of the records, if they do not come from a file. */
  transport?(
    options: Readonly<Record<string, unknown>>,
    setting: TransportSetting,
  ): Transport | undefined;
  /** Returns the names of the columns by number, for templates such as `%x[0,1]`. */
  columns(options: Readonly<Record<string, unknown>>): readonly string[];
}

/** A source chosen in a file, with its checked options. */
export type ChosenSource = Chosen<SourceComponent>;

/** Options that every source has in addition to its codec's options. */
export const commonSourceShape = {
  files: onResume('input', z.array(z.string().min(1)).min(1), ({ kind }) => kind !== 'train')
    .default(['-'])
    .describe(
      'files to read in order, - is the standard input; gzip is detected, and Zstandard with Node 22.15',
    ),
  ...allOnResume('work', {
    budget: z
      .optional(z.int().min(1))
      .describe('maximum number of records in flight; default: 10,000'),
    budgetBytes: z
      .optional(z.int().min(1))
      .describe(
        'maximum bytes of records in flight; default: 4 MiB, or 64 MiB for training in minibatches',
      ),
  }),
  ...selectionOptions.shape,
};

/** The options of a source's budget. */
export interface BudgetOptions {
  readonly budget?: number | undefined;
  readonly budgetBytes?: number | undefined;
}

/** Returns the selection of records that a source reads from its files. */
export function selectionOf(options: Readonly<Record<string, unknown>>): Selection {
  const { split, limit, folds } = options;
  return { split, limit, folds } as Selection;
}

/** Returns the smaller of two limits on records; undefined if there is none. */
export function leastLimit(a: unknown, b: number | undefined): number | undefined {
  const limits = [a, b].filter(limit => typeof limit === 'number');
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Returns whether a source reads only part of its records, which are then counted over the whole input. */
export function selects(options: Readonly<Record<string, unknown>>): boolean {
  return Object.values(selectionOf(options)).some(part => part !== undefined);
}

const common = [...Object.keys(commonSourceShape), 'from'];

/** Returns whether an option of a source determines which records are read and how, rather than their format. */
export function isCommonOption(key: string): boolean {
  return common.includes(key);
}

/** Returns the options except those that every source has. */
export function withoutCommon(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => !common.includes(key) && value !== undefined),
  );
}

/** Returns the files that a source reads, as in the pipeline file; none if a transport delivers its records. */
export function filesOf(options: Readonly<Record<string, unknown>>): readonly string[] {
  if (options.from !== undefined) return [];
  return (options.files as readonly string[] | undefined) ?? ['-'];
}
