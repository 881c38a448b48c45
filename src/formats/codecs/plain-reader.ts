import { isUtf8 } from 'node:buffer';
import { defaultMaxTokens, recordTokens } from '../../engine/core/sentence/sentence-limit.js';
import type { TextTable } from '../../engine/features/texts/text-table.js';
import type { TextColumns } from '../../engine/features/texts/text-work.js';
import type { Region } from '../../engine/kernels/memory/region.js';
import { hasMarkedLine } from '../lines/line-bytes.js';

/** Why reading ended: end of the text, a record that is not plain, or lack of room. */
export type PlainEnding = 'end' | 'not-plain' | 'full' | 'texts-full';

/** Reads the plain records of a text as numbers of texts, as many at a time as fit. */
export interface PlainReader {
  /** Continues reading, and hashes new texts. */
  read(): PlainEnding;
  /** Number of records read last. */
  readonly count: number;
  /** Number of blank lines between them. */
  readonly blank: number;
  /** First token of each sentence read last, followed by the number of tokens; valid until the next read. */
  readonly starts: Uint32Array;
  /** Addresses of the texts' numbers: tokens first, followed by the columns. */
  readonly columns: TextColumns;
  /** First sentence of each record, followed by the number of sentences; absent if each record is one sentence. */
  readonly firstSentences?: ArrayLike<number>;
  /** Returns to one of the last records read, as if it and later records had not been read. */
  backTo(record: number): void;
}

/** A reader of plain labelled records, which reads a text at once. */
export interface LabelledReader extends PlainReader {
  /** Whether every record of a text is certain to have few enough tokens. */
  fits(bytes: Uint8Array): boolean;
  /** Starts with a text of whole records, which must be valid UTF-8. */
  open(bytes: Uint8Array): void;
  /** Returns the labelled sentences among those read. */
  labelled(): LabelledSentences;
}

/** Labelled sentences of a text. */
export interface LabelledSentences {
  /** First token of each sentence, followed by the number of tokens. */
  readonly firsts: Uint32Array;
  /** Ids of their records; undefined if none has one. */
  readonly ids: readonly (string | undefined)[] | undefined;
}

/**
 * Reads texts of whole labelled records as numbers of texts in a `TextTable`: tokens, other columns, and tags in the
 * last column.
 */
export class LabelledTexts {
  readonly #texts: TextTable;
  readonly #reader: LabelledReader;
  #found: LabelledSentences = { firsts: new Uint32Array(1), ids: undefined };

  constructor(texts: TextTable, reader: LabelledReader) {
    this.#texts = texts;
    this.#reader = reader;
  }

  get columns(): TextColumns {
    return this.#reader.columns;
  }

  /** Number of records read, labelled or not. */
  get count(): number {
    return this.#reader.count;
  }

  /** Number of blank lines skipped. */
  get blank(): number {
    return this.#reader.blank;
  }

  get sentences(): LabelledSentences {
    return this.#found;
  }

  /** Returns the numbers of a column's texts; valid until memory grows. */
  numbers(column: number): Uint32Array {
    const { offset, stride } = this.columns;
    const at = offset + 4 * column * stride;
    return new Uint32Array(this.#texts.memory.buffer, at, this.#found.firsts.at(-1)!);
  }

  /** Reads a text to its end; returns false, with nothing counted, if any part of it is not plain. */
  read(bytes: Uint8Array): boolean {
    const reader = this.#reader;
    // A byte order mark is not part of a token.
    if (hasMarkedLine(bytes) || !isUtf8(bytes) || !reader.fits(bytes)) return false;
    reader.open(bytes);
    let ending = reader.read();
    if (ending === 'texts-full') {
      this.#texts.clear();
      reader.open(bytes);
      ending = reader.read();
    }
    if (ending === 'end') this.#found = reader.labelled();
    return ending === 'end';
  }
}

/** Maximum number of tokens in a plain record: decoding takes memory for all of them at once. */
const mostTokens = 262_144;

/**
 * Maximum number of tokens in a plain record if sentences are decoded piece by piece: some 200 bytes per token remain.
 */
const mostInPieces = 12_000_000;

/** Returns the maximum number of tokens in a plain record, given the general `maxTokens`. */
export function plainTokens(maxTokens: number): number {
  return Math.min(mostTokens, maxTokens);
}

/**
 * Returns the maximum number of tokens in a plain record's text. If sentences are decoded piece by piece, it is higher
 * than otherwise, unless `maxTokens` is below its default.
 */
export function plainTextTokens(maxTokens: number, inPieces: boolean): number {
  if (inPieces && maxTokens >= defaultMaxTokens) return mostInPieces;
  return plainTokens(recordTokens * maxTokens);
}

/**
 * Returns an upper bound on the length in bytes of a text's records.
 *
 * @param end the end of records: one line end, or two
 * @example
 * longestRecord(new TextEncoder().encode('a\nbc\n\nd'), '\n') // => 2
 * longestRecord(new TextEncoder().encode('a\nbc\n\nd'), '\n\n') // => 4
 */
export function longestRecord(bytes: Uint8Array, end: '\n' | '\n\n'): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let longest = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(end, start);
    const next = found < 0 ? text.length : found;
    longest = Math.max(longest, next - start);
    start = next + end.length;
  }
  return longest;
}

/** Number of spare bytes after a text, which the kernel may read. */
const padding = 64;
const LF = 10;

/** Copies a text to memory for the kernel, followed by line ends, so that no check for its end is needed. */
export function layText(region: Region, bytes: Uint8Array, lineEnds: number): void {
  const { length } = bytes;
  region.reserve(length + padding);
  const room = new Uint8Array(region.memory.buffer, region.offset, length + padding);
  room.set(bytes);
  room.fill(LF, length, length + lineEnds);
  room.fill(0, length + lineEnds);
}
