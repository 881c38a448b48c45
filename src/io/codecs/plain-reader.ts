import { isUtf8 } from 'node:buffer';
import { defaultMaxTokens, recordTokens } from '../../core/sentence/sentence-limit.js';
import type { TextTable } from '../../features/texts/text-table.js';
import type { TextColumns } from '../../features/texts/text-work.js';
import type { Region } from '../../kernels/memory/region.js';
import { hasMarkedLine } from '../lines/line-bytes.js';

/** Why reading ended: at the end of the text, at a record that is not plain, or for want of room. */
export type PlainEnding = 'end' | 'not-plain' | 'full' | 'texts-full';

/** Reads plain records of a text into numbers of texts, as many at a time as there is room for. */
export interface PlainReader {
  /** Reads on from where the text was left. New texts are hashed. */
  read(): PlainEnding;
  /** Records that were read last. */
  readonly count: number;
  /** Blank lines between the records that were read last. */
  readonly blank: number;
  /** Of what was read last: first token of each sentence, and after the last the number of tokens; until it reads on. */
  readonly starts: Uint32Array;
  /** Where the numbers of the texts are: tokens first, then the columns. */
  readonly columns: TextColumns;
  /** First sentence of each record, and after the last the number of sentences; absent where each is one. */
  readonly firstSentences?: ArrayLike<number>;
  /** Goes back to a record that was read last, as if it and those after it had not been read. */
  backTo(record: number): void;
}

/** A reader of plain records that is asked for labelled ones; all of a text is read at a time then. */
export interface LabelledReader extends PlainReader {
  /** Whether no record of a text may have too many tokens. */
  fits(bytes: Uint8Array): boolean;
  /** Begins with a text of whole records, which is valid UTF-8. */
  open(bytes: Uint8Array): void;
  /** Those that have labels among the sentences that were read. */
  labelled(): LabelledSentences;
}

/** Labelled sentences of a text. */
export interface LabelledSentences {
  /** First token of each, and after the last the number of tokens. */
  readonly firsts: Uint32Array;
  /** Ids of their records; undefined where none has one. */
  readonly ids: readonly (string | undefined)[] | undefined;
}

/** Reads texts of whole labelled records into numbers of the texts of a `TextTable`: tokens, other columns, the tags last. */
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

  /** Records that were read, labelled or not. */
  get count(): number {
    return this.#reader.count;
  }

  /** Blank lines that a format passes over. */
  get blank(): number {
    return this.#reader.blank;
  }

  get sentences(): LabelledSentences {
    return this.#found;
  }

  /** Numbers of the texts of one column, until memory grows. */
  numbers(column: number): Uint32Array {
    const { offset, stride } = this.columns;
    const at = offset + 4 * column * stride;
    return new Uint32Array(this.#texts.memory.buffer, at, this.#found.firsts.at(-1)!);
  }

  /** Reads a text to its end; false where some of it is not plain, and nothing counts as read. */
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

/** Tokens of a record that is plain: decoding takes memory for all of them at once. */
const mostTokens = 262_144;

/** The same where sentences are decoded piece by piece: some 200 bytes a token are left. */
const mostInPieces = 12_000_000;

/** Tokens that a plain record may have where others may have `maxTokens`. */
export function plainTokens(maxTokens: number): number {
  return Math.min(mostTokens, maxTokens);
}

/**
 * Tokens that the text of a plain record may have. Where sentences are decoded piece by piece, that is more than other
 * texts may have, unless `maxTokens` is below its default.
 */
export function plainTextTokens(maxTokens: number, inPieces: boolean): number {
  if (inPieces && maxTokens >= defaultMaxTokens) return mostInPieces;
  return plainTokens(recordTokens * maxTokens);
}

/**
 * Bytes of the longest record of a text, at most.
 *
 * @param end what ends a record: one line end, or two
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

/** Bytes past a text that the kernel may look at. */
const padding = 64;
const LF = 10;

/** Lays a text where the kernel reads it, with line ends after it, so that nothing has to look for its end. */
export function layText(region: Region, bytes: Uint8Array, lineEnds: number): void {
  const { length } = bytes;
  region.reserve(length + padding);
  const room = new Uint8Array(region.memory.buffer, region.offset, length + padding);
  room.set(bytes);
  room.fill(LF, length, length + lineEnds);
  room.fill(0, length + lineEnds);
}
