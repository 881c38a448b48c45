import {
  type DecodeOptions,
  decodeOptionNames,
} from '../../../engine/models/decoding/decode-options.js';
import { parseDictionary } from '../../../engine/models/labels/tag-dictionary.js';
import type { FaultPolicies } from '../../../formats/bad-records/bad-record.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';

/** The requested results of each record, as plain data. */
export interface TaggingOptions extends Omit<DecodeOptions, 'constraints'> {
  /** Whether the output is the record with all results, or the shortest form. */
  readonly output: 'record' | 'tags';
  readonly scores?: boolean | undefined;
  /** Unique id of the model, if records are to contain it. */
  readonly modelId?: string | undefined;
  /** Replacement for spans in the texts of records, which are then written without results. */
  readonly redact?: string | undefined;
  /** Whether a record without a text to redact is written unchanged, instead of being a bad record. */
  readonly passesTextless?: boolean | undefined;
  /** The fault policies, if some bad records are written with their error. */
  readonly passing?: FaultPolicies | undefined;
}

/**
 * Reads the entries of a dictionary file; returns false and undefined unchanged.
 *
 * @throws TagstreamError `file`, `config`
 */
export function readDictionary(file: string | false | undefined): TaggingOptions['dictionary'] {
  if (file === undefined || file === false) return file;
  return parseDictionary(new TextDecoder().decode(readBytes(file)), file);
}

const names = decodeOptionNames.filter(name => name !== 'constraints');

/** Returns the decoder's options among all arguments of the command. */
export function decodeOptions(options: Omit<DecodeOptions, 'constraints'>): DecodeOptions {
  const given: Readonly<Record<string, unknown>> = { ...options };
  return Object.fromEntries(
    names.flatMap(name => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}
