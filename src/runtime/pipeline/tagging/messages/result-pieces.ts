import { isBlankByte, pastMarks } from '../../../../formats/lines/line-bytes.js';
import type { TaggedBlock } from '../tagging-run.js';

const LF = 10;
const CR = 13;

/** Results that are sent as one message, and the byte range `[start, end)` of their records. */
export interface ResultPiece {
  readonly start: number;
  readonly end: number;
  readonly output: Uint8Array<ArrayBuffer>;
}

/**
 * Returns the results of a message in pieces, one for each run of records between bad ones, whose bytes have no result;
 * a message without records has no pieces.
 *
 * @param bytes bytes of the message as tagged
 */
export function resultPieces(bytes: Uint8Array, { output, bad }: TaggedBlock): ResultPiece[] {
  const pieces: ResultPiece[] = [];
  let start = 0;
  let outputStart = 0;
  const add = (end: number, outputEnd: number) => {
    const part = output.subarray(outputStart, outputEnd);
    if (part.length > 0) pieces.push({ start, end, output: part });
    outputStart = outputEnd;
  };
  for (const { position, outputBefore } of bad) {
    add(position.start, outputBefore);
    start = position.end;
  }
  add(bytes.length, output.length);
  return pieces;
}

/**
 * Yields the results of a piece one by one, if each record and each result takes one line. A record contains neither
 * its line end nor a byte order mark.
 *
 * @example
 * const bytes = new TextEncoder().encode('1\n\n2\n');
 * const output = new TextEncoder().encode('one\ntwo\n');
 * [...singleResults(bytes, { start: 0, end: 5, output })].map(({ start, end }) => [start, end]) // => [[0, 1], [3, 4]]
 */
export function* singleResults(
  bytes: Uint8Array,
  { start, end, output }: ResultPiece,
): Generator<ResultPiece, void, undefined> {
  let from = 0;
  for (let at = start; at < end; ) {
    const lineEnd = endOfLine(bytes, at, end);
    if (!isBlank(bytes, at, lineEnd)) {
      const to = endOfLine(output, from, output.length);
      const place = { start: pastMarks(bytes, at, end), end: endOfRecord(bytes, lineEnd) };
      yield { ...place, output: output.subarray(from, to) };
      from = to;
    }
    at = lineEnd;
  }
}

function endOfRecord(bytes: Uint8Array, lineEnd: number): number {
  if (bytes[lineEnd - 1] !== LF) return lineEnd;
  return bytes[lineEnd - 2] === CR ? lineEnd - 2 : lineEnd - 1;
}

/** Returns the end of a byte's line, including its LF. */
export function endOfLine(bytes: Uint8Array, from: number, end: number): number {
  const found = bytes.indexOf(LF, from);
  return found < 0 || found >= end ? end : found + 1;
}

/** Returns whether a line contains only white space, possibly after byte order marks. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = pastMarks(bytes, start, end); at < end; at += 1) {
    if (bytes[at] !== LF && !isBlankByte(bytes[at]!)) return false;
  }
  return true;
}
