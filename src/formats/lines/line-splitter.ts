import { isAscii, isUtf8 } from 'node:buffer';
import { TagstreamError } from '../../engine/core/errors.js';
import { rawLimit } from '../bad-records/bad-record.js';
import { pastMarks } from './line-bytes.js';

const LF = 10;
const CR = 13;

/** One line of a byte stream. */
export interface Line {
  /** Number of the line, from 1. */
  readonly number: number;
  /** Range of its bytes in the stream, `[start, end)`, without line end and byte order marks. */
  readonly start: number;
  readonly end: number;
  /** Text of the line; empty if it is bad. */
  readonly text: string;
  /** Fault of the line; undefined if it can be read. */
  readonly bad: BadLine | undefined;
}

/** A line that cannot be read, because of `invalid-utf8` or `too-long`, with its bytes. */
export interface BadLine {
  readonly error: TagstreamError;
  /** All bytes of the line, or the first `rawLimit` if `truncated`. */
  readonly raw: Uint8Array;
  readonly truncated: boolean;
}

/** Beginning of a byte stream in its source. */
export interface StreamStart {
  /** Offset of the first byte. */
  readonly offset: number;
  /** Number of the line that contains the first byte. */
  readonly line: number;
  /** Whether the first byte begins a line. Otherwise the rest of its line is skipped, unless the offset is 0. */
  readonly atLineStart?: boolean;
}

type Encoding = 'latin1' | 'utf8';

/**
 * Cuts chunks of bytes into lines at LF; a CR before LF, byte order marks at the beginning of a line and a missing last
 * line end make no difference. The lines do not depend on how the bytes are divided into chunks.
 *
 * A line of more than `maxLineBytes` bytes (including a CR) is bad, and never held as a whole. UTF-8 is
 * checked strictly. Time is linear in the bytes; memory is bounded by the chunk and `maxLineBytes`.
 *
 * @example
 * const splitter = new LineSplitter(100);
 * splitter.push(new TextEncoder().encode('one\r\ntw')).map(line => line.text) // => ['one']
 * splitter.push(new TextEncoder().encode('o\n\nlast')).map(line => line.text) // => ['two', '']
 * splitter.end().map(line => [line.number, line.start, line.end]) // => [[4, 10, 14]]
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** Number of the next line. */
  #number: number;
  /** Offset of the next line. */
  #start: number;
  #passOver: boolean;
  /** Bytes of the unfinished line, of which the first `#held` are kept, and their total number. */
  #buffer = Buffer.allocUnsafe(1024);
  #held = 0;
  #length = 0;

  constructor(maxLineBytes: number, from: StreamStart = { offset: 0, line: 1 }) {
    this.#maxLineBytes = maxLineBytes;
    this.#number = from.line;
    this.#start = from.offset;
    this.#passOver = from.offset > 0 && from.atLineStart !== true;
  }

  /** Returns the lines that a chunk completes. Does not keep the chunk. */
  push(chunk: Uint8Array): Line[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Line[] = [];
    let from = 0;
    let lineEnd = bytes.indexOf(LF);
    if (lineEnd >= 0 && this.#length > 0) {
      this.#hold(bytes.subarray(0, lineEnd));
      this.#finishHeld(lines, 1);
      from = lineEnd + 1;
      lineEnd = bytes.indexOf(LF, from);
    }
    if (lineEnd >= 0) {
      // One check covers all whole lines of the chunk; lines are checked one by one only if it fails.
      const encoding = encodingOf(bytes.subarray(from, bytes.lastIndexOf(LF)));
      while (lineEnd >= 0) {
        this.#finish(lines, bytes, from, lineEnd, lineEnd - from, 1, encoding);
        from = lineEnd + 1;
        lineEnd = bytes.indexOf(LF, from);
      }
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
    return lines;
  }

  /** Returns the last line, if the stream did not end with a line end. */
  end(): Line[] {
    const lines: Line[] = [];
    if (this.#length > 0) this.#finishHeld(lines, 0);
    return lines;
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    const wanted = this.#length > this.#maxLineBytes ? rawLimit : this.#length;
    if (wanted <= this.#held) return;
    const taken = Math.min(wanted - this.#held, piece.length);
    if (this.#held + taken > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#held + taken, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, this.#held);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#held, 0, taken);
    this.#held += taken;
  }

  #finishHeld(lines: Line[], lineEndBytes: number): void {
    this.#finish(lines, this.#buffer, 0, this.#held, this.#length, lineEndBytes);
    this.#held = 0;
    this.#length = 0;
    if (this.#buffer.length > rawLimit) this.#buffer = Buffer.allocUnsafe(1024);
  }

  /** Adds a line of `length` bytes; `from` to `to` are all of them, or the first ones. */
  #finish(
    lines: Line[],
    bytes: Buffer,
    from: number,
    to: number,
    length: number,
    lineEndBytes: number,
    encoding?: Encoding,
  ): void {
    const start = this.#start;
    this.#start += length + lineEndBytes;
    const number = this.#number;
    this.#number += 1;
    if (this.#passOver) this.#passOver = false;
    else if (length <= this.#maxLineBytes) {
      lines.push(readLine(number, start, bytes, from, to, encoding));
    } else {
      const error = new TagstreamError('too-long', `a line of ${length} bytes`, {
        fix: `the limit is ${this.#maxLineBytes}; raise maxLineBytes or shorten the record`,
      });
      const raw = bytes.subarray(from, Math.min(to, from + rawLimit));
      lines.push(bad(number, start, start + length, raw, length, error));
    }
  }
}

/** Returns a line; decodes it directly, because a view of the bytes would cost more than the text. */
function readLine(
  number: number,
  start: number,
  bytes: Buffer,
  from: number,
  to: number,
  checked?: Encoding,
): Line {
  const last = to > from && bytes[to - 1] === CR ? to - 1 : to;
  const end = start + last - from;
  const encoding = checked ?? encodingOf(bytes.subarray(from, last));
  if (encoding === undefined) {
    const error = new TagstreamError('invalid-utf8', 'the line is not valid UTF-8', {
      fix: 'convert the file to UTF-8',
    });
    return bad(number, start, end, bytes.subarray(from, last), last - from, error);
  }
  const first = encoding === 'utf8' ? pastMarks(bytes, from, last) : from;
  const text = bytes.toString(encoding, first, last);
  return { number, start: start + first - from, end, text, bad: undefined };
}

function bad(
  number: number,
  start: number,
  end: number,
  bytes: Buffer,
  length: number,
  error: TagstreamError,
): Line {
  // A copy: the bytes may be a view of a reused buffer.
  const raw = Uint8Array.from(bytes);
  return { number, start, end, text: '', bad: { error, raw, truncated: length > raw.length } };
}

function encodingOf(bytes: Buffer): Encoding | undefined {
  if (isAscii(bytes)) return 'latin1';
  return isUtf8(bytes) ? 'utf8' : undefined;
}

/** Default maximum length of a line in bytes: 16 MiB. */
export const defaultMaxLineBytes = 16 * 1024 * 1024;

/**
 * Yields the lines of a byte stream: one array per chunk that completes any, which avoids a promise
 * per line. An overlong line, or one that is not UTF-8, is yielded as a bad line in its place.
 *
 * @example
 * const texts = [];
 * for await (const lines of splitLines([new TextEncoder().encode('a\nb\nc')])) {
 *   texts.push(lines.map(line => line.text));
 * }
 * texts // => [['a', 'b'], ['c']]
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { maxLineBytes?: number | undefined; from?: StreamStart | undefined } = {},
): AsyncGenerator<readonly Line[], void, undefined> {
  const splitter = new LineSplitter(options.maxLineBytes ?? defaultMaxLineBytes, options.from);
  for await (const chunk of chunks) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

/** Converts the chunks of a stream, which are passed in order and are not modified. */
export interface LineMaker {
  lines(chunk: Uint8Array): Uint8Array;
  /** Returns the remaining bytes at the end of the stream, and a description of what is missing. */
  end(): { readonly rest: Uint8Array; readonly missing?: string };
}

/**
 * Converts records that are not lines to lines. Output has as many bytes as input, each at its original position, so
 * that offsets are unchanged; only the last line of a truncated stream gets a line end.
 */
export interface IntoLines {
  /** Whether a stream with this beginning must be converted. */
  isNeeded(head: Uint8Array): boolean;
  /** Returns a converter for the chunks of one stream. */
  begin(): LineMaker;
  /** Returns the bytes to read instead of a file, if its records are spread over several files. */
  readonly fileLines?: (path: string) => Uint8Array;
}
