import type { ZodObject } from 'zod';
import type { CodecDefinition, RecordFormat } from './definitions.js';

/** A codec of a plug-in that was checked. */
export interface CodecComponent
  extends Pick<CodecDefinition, 'name' | 'summary' | 'records' | 'extensions'> {
  readonly example: string;
  readonly options: ZodObject;
  /** The codec and its plug-in, for errors. */
  readonly what: string;
  create(options: unknown): RecordFormat;
}
