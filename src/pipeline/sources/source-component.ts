import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { Codec } from '../../io/codec.js';
import type { Chosen } from '../one-of.js';

/** A format of records as a pipeline file names it. */
export interface SourceComponent {
  readonly name: Codec['name'] | 'simulated';
  readonly summary: string;
  readonly example: string;
  readonly options: z.ZodType;
  /** Options of the codec among the source's options. */
  codecOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  codec(options: Readonly<Record<string, unknown>>): Codec;
  /** The files hold dead letters with records of the format. */
  readonly replays?: boolean;
  /** The records as bytes, in place of files: `-` stands for them. */
  generated?(options: Readonly<Record<string, unknown>>): Readable;
  /** Names of the columns by number, for templates that say `%x[0,1]`. */
  columns(options: Readonly<Record<string, unknown>>): readonly string[];
}

/** A source that a file has chosen, with its checked options. */
export type ChosenSource = Chosen<SourceComponent>;
