import type { TextTable } from '../../../features/texts/text-table.js';
import type { PlainReader } from '../../../io/codecs/plain/plain-reader.js';
import type { Model } from '../../../models/model.js';
import type { TokenizeOptions } from '../../../operators/tokenize.js';
import type { TaggingOptions } from '../tagging-options.js';
import type { DecodedRecords } from './decoded-records.js';
import type { TaggedBytes } from './tagged-bytes.js';

/** A format whose plain records go from bytes to bytes. */
export interface PlainFormatChoice {
  /** Whether texts have the escapes of JSON strings. */
  readonly inJson: boolean;
  /** The codec for a model whose templates look at columns that the format has. */
  make(given: PlainCodecGiven): PlainCodec;
}

export interface PlainCodecGiven {
  readonly model: Model;
  readonly options: TaggingOptions;
  readonly tokenization: TokenizeOptions;
  readonly texts: TextTable;
  /** Columns that templates look at; the first is the token. */
  readonly columns: readonly string[];
  /** Whether the sentences of a record are decoded piece by piece, so that it may have any number of them. */
  readonly inPieces: boolean;
  readonly out: TaggedBytes;
}

/** Reads plain records of a text, and writes them with their results. */
export interface PlainCodec {
  /** Ways to read a record: what is not plain for one of them may be so for another. */
  readonly readers: readonly PlainReader[];
  /** Begins with a text of whole records, which is valid UTF-8. */
  open(bytes: Uint8Array): void;
  /** Place in the text of what comes next, and number of its line, from 0. */
  readonly position: number;
  readonly line: number;
  /** Passes over what somebody else has tagged. */
  skip(bytes: number, lines: number): void;
  /** Writes the first records that were read last. */
  add(reader: PlainReader, decoded: DecodedRecords): void;
}
