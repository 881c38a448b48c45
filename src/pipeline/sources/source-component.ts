import type * as z from 'zod';
import type { Codec } from '../../io/codecs/codec.js';
import type { InputStream } from '../../io/reading/input-stream.js';
import type { Transport } from '../../io/transports/transport.js';
import type { TransportSetting } from '../../plugins/messages.js';
import type { Chosen } from '../options/one-of.js';

/** A format of records as a pipeline file names it. */
export interface SourceComponent {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly options: z.ZodType;
  /** Options of the codec among the source's options. */
  codecOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  codec(options: Readonly<Record<string, unknown>>): Codec;
  /** Ends of names of files that are in the format, without the full stop. */
  readonly extensions?: readonly string[];
  /** Records may come without tags if the option `tagOptional` is true; others always may. */
  readonly canLackTags?: boolean;
  /** Bad records of a corpus are skipped by default. Default false: they end its reading. */
  readonly lenient?: boolean;
  /** The files hold dead letters with records of the format. */
  readonly replays?: boolean;
  /** The records as bytes, in place of files: `-` stands for them. */
  generated?(options: Readonly<Record<string, unknown>>): InputStream;
  /** What brings the records, where that is not a file. */
  transport?(
    options: Readonly<Record<string, unknown>>,
    setting: TransportSetting,
  ): Transport | undefined;
  /** Names of the columns by number, for templates that say `%x[0,1]`. */
  columns(options: Readonly<Record<string, unknown>>): readonly string[];
}

/** A source that a file has chosen, with its checked options. */
export type ChosenSource = Chosen<SourceComponent>;
