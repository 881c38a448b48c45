import { isUtf8 } from 'node:buffer';
import { hasMarkedLine, isBlankByte } from '../lines/line-bytes.js';
import { type Line, LineSplitter, type StreamStart } from '../lines/line-splitter.js';
import type { DocumentDraft } from './codec.js';
import type { PlainBlock, PlainBlockReader } from './plain-reader.js';

const LF = 10;

/** Bytes of an unfinished block that are looked at again with each chunk; a longer one is read line by line. */
const mostHeld = 2 ** 20;

/** Bytes that may be looked at again for each byte that comes, and those that may be beyond that. */
const againForEach = 8;
const mostAgain = 2 ** 22;

/** Where blocks go. */
export interface BlockTarget {
  /** A line of a block that is not plain, or a blank one. */
  add(line: Line): void;
  /** A plain block; its document is made where it is wanted. */
  addPlain(block: PlainPlace, draft: () => DocumentDraft, raw: () => string): void;
}

/** Where a block stands in its stream. */
export interface PlainPlace {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Its rows are the bytes `[start, end)`, without the last line end. */
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts chunks of bytes into blocks of lines: plain ones are read from their bytes, the others line by line.
 * What comes out is the same however the bytes are cut. Time is linear in the bytes.
 */
export class BlockBytes {
  readonly #target: BlockTarget;
  readonly #plain: PlainBlockReader | undefined;
  readonly #maxLineBytes: number;
  /** Where the bytes that are held begin. */
  #offset: number;
  #line: number;
  #held: Buffer = Buffer.alloc(0);
  /** Whether some line of the bytes at hand begins with a byte order mark. */
  #isMarked = false;
  /** Bytes that may be looked at again yet. */
  #again = mostAgain;
  /**
   * Reads all that comes: where nothing is plain or the stream begins within a line from its start, else from the
   * first bytes that are not UTF-8, a block that is too long, or too small chunks.
   */
  #lines: LineSplitter | undefined;

  /** @param plain absent where all is to be read line by line */
  constructor(
    target: BlockTarget,
    plain: PlainBlockReader | undefined,
    maxLineBytes: number,
    from: StreamStart = { offset: 0, line: 1, atLineStart: true },
  ) {
    this.#target = target;
    this.#plain = plain;
    this.#maxLineBytes = maxLineBytes;
    this.#offset = from.offset;
    this.#line = from.line;
    if (plain === undefined || from.atLineStart !== true) {
      this.#lines = new LineSplitter(maxLineBytes, from);
    }
  }

  /** Gives the blocks that `chunk` completes to the target. The chunk is not kept. */
  push(chunk: Uint8Array): void {
    if (this.#lines !== undefined) {
      for (const line of this.#lines.push(chunk)) this.#target.add(line);
      return;
    }
    const again = this.#again + againForEach * chunk.length - this.#held.length;
    this.#again = Math.min(mostAgain, again);
    const bytes = Buffer.concat([this.#held, chunk]);
    if (again < 0 || !isUtf8(bytes.subarray(0, bytes.lastIndexOf(LF) + 1))) {
      this.#readLines(bytes);
      return;
    }
    this.#isMarked = hasMarkedLine(bytes);
    const end = this.#readBlocks(bytes);
    this.#offset += end;
    this.#held = bytes.subarray(end);
    if (this.#held.length > mostHeld) this.#readLines(this.#held);
  }

  /** What is left at the end of the stream. */
  end(): void {
    if (this.#lines === undefined) this.#readLines(this.#held);
    for (const line of this.#lines!.end()) this.#target.add(line);
  }

  /** Reads the whole blocks that there are; returns where they end. */
  #readBlocks(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      at = this.#afterBlankLines(bytes, at);
      if (at === bytes.length) return at;
      const plain = this.#plain!;
      const kind = this.#kindAt(plain, bytes, at);
      if (kind === 'open') return at;
      if (kind === 'plain') {
        const start = at;
        const end = plain.rowsEnd;
        const place = { line: this.#line, start: this.#offset + start, end: this.#offset + end };
        this.#target.addPlain(
          place,
          () => plain.take(),
          () => bytes.toString('utf8', start, end),
        );
        this.#line += plain.lines;
        at = plain.next;
        continue;
      }
      const next = afterBlock(bytes, at, this.#maxLineBytes);
      if (next < 0) return at;
      const lines = this.#splitter(this.#offset + at).push(bytes.subarray(at, next));
      for (const line of lines) this.#target.add(line);
      this.#line += lines.length;
      at = next;
    }
  }

  #kindAt(plain: PlainBlockReader, bytes: Buffer, at: number): PlainBlock {
    // A byte order mark is not part of a token.
    if (this.#isMarked) return 'other';
    const kind = plain.read(bytes, at);
    if (kind !== 'plain') return kind;
    const most = this.#maxLineBytes;
    const isShort = plain.rowsEnd - at <= most && plain.next - plain.rowsEnd <= most;
    return isShort && plain.lines > 1 ? 'plain' : 'other';
  }

  #afterBlankLines(bytes: Buffer, at: number): number {
    for (let i = at; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (byte === LF) {
        if (i - at > this.#maxLineBytes) return at;
        this.#line += 1;
        at = i + 1;
      } else if (!isBlankByte(byte)) {
        return at;
      }
    }
    return at;
  }

  /** Reads these bytes and all that follow line by line. */
  #readLines(bytes: Buffer): void {
    this.#lines = this.#splitter(this.#offset);
    this.#held = Buffer.alloc(0);
    for (const line of this.#lines.push(bytes)) this.#target.add(line);
  }

  #splitter(offset: number): LineSplitter {
    return new LineSplitter(this.#maxLineBytes, { offset, line: this.#line, atLineStart: true });
  }
}

/** What follows the first blank line from `at` on; -1 if there is none. */
function afterBlock(bytes: Buffer, at: number, maxLineBytes: number): number {
  let start = at;
  let blank = true;
  for (let i = at; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === LF) {
      if (blank && i - start <= maxLineBytes) return i + 1;
      start = i + 1;
      blank = true;
    } else if (!isBlankByte(byte)) {
      blank = false;
    }
  }
  return -1;
}
